/** The loop of seed 000, scenario by scenario, with a real tmux. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closing, events, ralphScene } from './ralph-scene.ts';
import { refusal, resumed } from './scene.ts';

const DURATION = String.raw`\(exit: 0, duration: \d+s\)`;

describe('what a loop needs', () => {
  test.each([
    [['--max-iterations', '3'], '--ralph requires --prompt-file'],
    [['--prompt-file', 'PROMPT.md'], '--ralph requires --max-iterations'],
    [['--prompt-file', './missing.md', '--max-iterations', '3'], 'prompt file not found: ./missing.md'],
  ])('%j is refused', async (flags, message) => {
    const scene = ralphScene('true');
    const exited = await scene.swarm('spawn', '--name', 'agent', '--ralph', ...flags, '--', 'true');
    expect(exited).toEqual(refusal(message));
    expect((await scene.swarm('ls')).stdout).toBe('');
  });

  test('zero iterations and an invalid pattern are refused', async () => {
    const scene = ralphScene('true');
    expect((await scene.spawned('--max-iterations', '0')).code).toBe(2);
    const { code, stderr } = await scene.spawned('--max-iterations', '1', '--done-pattern', '(unclosed');
    expect(code).toBe(1);
    expect(stderr).toContain('swarm: error: ');
  });

  test('many iterations cause a warning', async () => {
    const scene = ralphScene('echo FINISHED; exit 0');
    const { code, stderr } = await scene.spawned('--max-iterations', '51', '--done-pattern', 'FINISHED');
    expect(stderr).toBe('swarm: warning: high iteration count (>50) may consume significant resources\n');
    expect(code).toBe(0);
  });
});

test('an agent is started again with a fresh prompt until the limit, and everything is reported', async () => {
  const scene = ralphScene('read -r line; echo "got $line" >>"$HOME/starts"');
  const loop = scene.spawn(['--max-iterations', '3']);
  await loop.says('starting iteration 2/3');
  scene.prompt('Do task B.\n');
  const { code, stdout, stderr } = await loop.exited;
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    'spawned agent (tmux: swarm:agent) [ralph mode: iteration 1/3]',
    expect.stringMatching(/^\[ralph\] agent: to attach: tmux -S \S+ attach-session -t swarm$/),
    expect.stringMatching(new RegExp(`^\\[ralph\\] agent: iteration 1 completed ${DURATION}$`)),
    '[ralph] agent: starting iteration 2/3',
    expect.stringMatching(new RegExp(`^\\[ralph\\] agent: iteration 2 completed ${DURATION}$`)),
    '[ralph] agent: starting iteration 3/3',
    expect.stringMatching(new RegExp(`^\\[ralph\\] agent: iteration 3 completed ${DURATION}$`)),
    '[ralph] agent: loop complete after 3 iterations',
    '',
    expect.stringMatching(/^✗ Stopped at the limit of 3 iterations · \d+s · cost unknown$/),
    '  Whether the work is done is unknown: there is no --done-pattern.',
    '  1 changed file is not committed.',
    '  swarm ralph resume agent --max-iterations 6   continue with more iterations',
    '',
  ]);
  expect(code).toBe(0);
  expect(scene.starts().filter((line) => line.startsWith('got'))).toEqual([
    'got Do the task.',
    'got Do the task.',
    'got Do task B.',
  ]);
  expect(events(scene.read('home/ralph/agent/iterations.log'))).toEqual([
    '[START] iteration 1/3',
    '[END] iteration 1 exit=0 duration=Ns',
    '[START] iteration 2/3',
    '[END] iteration 2 exit=0 duration=Ns',
    '[START] iteration 3/3',
    '[END] iteration 3 exit=0 duration=Ns',
    '[DONE] loop complete after 3 iterations reason=max_iterations',
  ]);
  expect(scene.state()).toEqual({
    worker_name: 'agent',
    prompt_file: join(scene.work, 'PROMPT.md'),
    max_iterations: 3,
    current_iteration: 3,
    status: 'stopped',
    started: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}$/),
    last_iteration_started: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}$/),
    consecutive_failures: 0,
    total_failures: 0,
    done_pattern: null,
    inactivity_timeout: 60,
  });
  expect(JSON.parse(scene.read('home/state.json'))).toMatchObject({
    workers: [
      {
        name: 'agent',
        metadata: { ralph: true, ralph_iteration: 3 },
        pid: null,
        tmux: { session: 'swarm', window: 'agent', socket: null },
      },
    ],
  });
});

test('a screen that does not change ends the iteration, without a failure', async () => {
  const scene = ralphScene('[ $n = 1 ] && gate never; exit 0', 20);
  const { code, stdout } = await scene.spawned('--max-iterations', '2', '--inactivity-timeout', '10');
  expect(stdout).toContain(
    '[ralph] agent: inactivity timeout (10s), restarting\n[ralph] agent: starting iteration 2/2\n',
  );
  expect(stdout).toContain('[ralph] agent: loop complete after 2 iterations');
  expect(code).toBe(0);
  expect(events(scene.read('home/ralph/agent/iterations.log'))).toContain(
    '[TIMEOUT] iteration 1 inactivity_timeout=10s',
  );
  expect(scene.state()).toMatchObject({ consecutive_failures: 0, total_failures: 0 });
});

describe('the done pattern', () => {
  test('stops the loop when an agent prints it and exits', async () => {
    const scene = ralphScene('[ $n = 2 ] && echo "All tasks complete"; exit 0');
    const { code, stdout } = await scene.spawned('--max-iterations', '9', '--done-pattern', 'All tasks complete');
    expect(closing(stdout, '[ralph] agent: done pattern matched, stopping loop')).toEqual([
      '✓ Done in 2 iterations · Ns · cost unknown',
      '  The agent\'s output matched "All tasks complete". Nothing else was checked.',
      '  1 changed file is not committed.',
      '  git status   what is not committed',
    ]);
    expect(code).toBe(0);
    expect(scene.starts()).toHaveLength(2);
    expect(scene.state()).toMatchObject({ status: 'stopped', current_iteration: 2 });
    expect((await scene.swarm('logs', 'agent')).stdout).toContain('All tasks complete');
    expect(events(scene.read('home/ralph/agent/iterations.log')).at(-1)).toBe(
      '[DONE] loop complete after 2 iterations reason=done_pattern',
    );
  });

  test('does not cut off an agent, which can still have work to finish', async () => {
    const scene = ralphScene('echo "plan: 100%"; gate go; echo finished >>"$HOME/starts"; exit 0');
    const loop = scene.spawn(['--max-iterations', '9', '--done-pattern', 'plan.*100%']);
    await scene.printed('agent', 'plan: 100%');
    // Takes several of the loop's seconds.
    expect((await scene.swarm('ralph', 'status', 'agent')).stdout).toContain('Status: running\n');
    scene.open('go');
    const { code, stdout } = await loop.exited;
    expect(stdout).toContain('[ralph] agent: done pattern matched, stopping loop\n');
    expect(code).toBe(0);
    expect(scene.starts()).toEqual(['start', 'finished']);
  });

  test('of an agent that then becomes inactive stops the loop', async () => {
    const scene = ralphScene('echo "plan: 100%"; gate never');
    const flags = ['--max-iterations', '9', '--inactivity-timeout', '10', '--done-pattern', 'plan.*100%'];
    const { code, stdout } = await scene.spawned(...flags);
    expect(stdout).toContain('[ralph] agent: done pattern matched, stopping loop\n');
    expect(stdout).not.toContain('restarting');
    expect(code).toBe(0);
    expect(scene.starts()).toHaveLength(1);
  });

  test('does not match in the echo of the prompt', async () => {
    const scene = ralphScene('sleep 0.3; exit 0');
    scene.prompt('Work. When you are through, print "No remaining tasks".\n');
    const { stdout } = await scene.spawned('--max-iterations', '2', '--done-pattern', 'No remaining tasks');
    expect(stdout).toContain('loop complete after 2 iterations');
  });

  test('of an agent that fails completes nothing', async () => {
    const scene = ralphScene('echo COMPLETE; [ $n = 1 ] && exit 7; exit 0', 500);
    const { code, stdout } = await scene.spawned('--max-iterations', '9', '--done-pattern', 'COMPLETE');
    expect(stdout).toContain('[ralph] agent: iteration 1 failed (exit: 7), retrying in 1s (attempt 1/5)');
    expect(code).toBe(0);
    expect(scene.starts()).toHaveLength(2);
  });
});

describe('failures', () => {
  test('are followed by longer and longer waits, and five in a row end the loop', async () => {
    const scene = ralphScene('exit 3', 5);
    const { code, stdout } = await scene.spawned('--max-iterations', '50');
    const told = stdout.split('\n').filter((line) => /failed|failures/.test(line));
    expect(told).toEqual([
      '[ralph] agent: iteration 1 failed (exit: 3), retrying in 1s (attempt 1/5)',
      '[ralph] agent: iteration 2 failed (exit: 3), retrying in 2s (attempt 2/5)',
      '[ralph] agent: iteration 3 failed (exit: 3), retrying in 4s (attempt 3/5)',
      '[ralph] agent: iteration 4 failed (exit: 3), retrying in 8s (attempt 4/5)',
      '[ralph] agent: 5 consecutive failures, stopping loop',
      expect.stringMatching(/^✗ Stopped after 5 iterations: the agent failed 5 times in a row · /),
      expect.stringMatching(/^ {2}The last run failed \(exit 3, log$/),
    ]);
    expect(stdout).toMatch(/\/runs\/5-work-1\.out\)\.\n/);
    expect(stdout).toMatch(/\n {2}swarm ralph resume agent {3}continue, once the agent works again\n$/);
    expect(code).toBe(1);
    expect(scene.state()).toMatchObject({ status: 'failed', consecutive_failures: 5, total_failures: 5 });
    expect(events(scene.read('home/ralph/agent/iterations.log'))).toContain(
      '[FAIL] iteration 3 exit=3 attempt=3/5 backoff=4s',
    );
  });

  test('in a row are reset by a successful iteration', async () => {
    const scene = ralphScene('[ $n = 3 ] && exit 0; exit 1', 5);
    const { stdout } = await scene.spawned('--max-iterations', '5');
    expect(stdout).toContain('iteration 4 failed (exit: 1), retrying in 1s (attempt 1/5)');
    expect(scene.state()).toMatchObject({ status: 'stopped', consecutive_failures: 2, total_failures: 4 });
    // There is no retry after the last iteration.
    expect(stdout).toContain(
      '[ralph] agent: iteration 5 failed (exit: 1)\n[ralph] agent: loop complete after 5 iterations\n',
    );
    expect(events(scene.read('home/ralph/agent/iterations.log'))).toContain(
      '[FAIL] iteration 5 exit=1 attempt=2/5 backoff=0s',
    );
  });

  test.each([[[]], [['--detach']]])('a command that does not exist is reported at once (%j)', async (more) => {
    const scene = ralphScene('true');
    const flags = ['--ralph', '--prompt-file', 'PROMPT.md', '--max-iterations', '3', ...more];
    const exited = await scene.swarm('spawn', '--name', 'agent', ...flags, '--', 'no-such-agent');
    expect(exited).toEqual(refusal('failed to spawn worker: command not found: no-such-agent'));
    expect((await scene.swarm('ls')).stdout).toBe('');
  });

  test('without tmux no loop begins, and the reason is reported', async () => {
    const scene = ralphScene('true');
    const agent = join(scene.folder, 'agent.sh');
    const flags = ['--ralph', '--prompt-file', 'PROMPT.md', '--max-iterations', '3', '--detach'];
    const env = { PATH: scene.work };
    const exited = await scene.swarmIn({ env }, 'spawn', '--name', 'agent', ...flags, '--', agent);
    expect(exited).toEqual(refusal('failed to spawn worker: tmux is not installed'));
  });
});

describe('while a loop runs', () => {
  test('its limit can be raised in the state file', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
    const loop = scene.spawn(['--max-iterations', '1']);
    await scene.isWritten(1);
    writeFileSync(join(scene.home, 'ralph/agent/state.json'), JSON.stringify({ ...scene.state(), max_iterations: 2 }));
    scene.open('go');
    const { stdout } = await loop.exited;
    expect(stdout).toContain('[ralph] agent: starting iteration 2/2');
    expect(stdout).toContain('loop complete after 2 iterations');
  });

  test('its folder can be removed', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
    const loop = scene.spawn(['--max-iterations', '2']);
    // The last write there before the agent ends; a removal in the middle of a write is tested elsewhere.
    await scene.isWritten(1);
    rmSync(join(scene.home, 'ralph'), { recursive: true });
    scene.open('go');
    expect((await loop.exited).stdout).toContain('loop complete after 2 iterations');
    expect(scene.state()).toMatchObject({ status: 'stopped', current_iteration: 2 });
  });

  test('a missing prompt file ends it; once the file is back, the loop can be resumed', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
    const loop = scene.spawn(['--max-iterations', '2']);
    await scene.started(1);
    rmSync(join(scene.work, 'PROMPT.md'));
    scene.open('go');
    const { code, stdout: told, stderr } = await loop.exited;
    expect(told).toMatch(/\n✗ Stopped after \d iterations? by a configuration error · /);
    expect(told).toMatch(/\n {2}swarm ralph resume agent {3}continue, once that is fixed\n$/);
    const problem = `prompt file not found: ${join(scene.work, 'PROMPT.md')}`;
    expect(stderr).toBe(`swarm: error: ${problem}\n`);
    expect(code).toBe(1);
    expect(scene.state()).toMatchObject({ status: 'failed', current_iteration: 1, total_failures: 0 });
    expect(events(scene.read('home/ralph/agent/iterations.log')).at(-1)).toBe(`[FAIL] iteration 2: ${problem}`);
    const { stdout } = await scene.swarm('ralph', 'status', 'agent');
    expect(stdout).toContain('Status: failed\nIteration: 1/2\n');
    expect(stdout).toContain(`Problem: ${problem}\n`);
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(refusal(problem));
    scene.prompt('Again.\n');
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(resumed());
    await scene.until(() => scene.state().status === 'stopped');
    expect(scene.starts()).toHaveLength(2);
  });

  test('the prompt file is not needed any more in the last iteration', async () => {
    const scene = ralphScene('rm PROMPT.md; exit 0');
    const { code, stdout, stderr } = await scene.spawned('--max-iterations', '1');
    expect(stdout).toContain('[ralph] agent: loop complete after 1 iterations\n');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

test('an empty prompt is allowed, and a prompt by stdin or argument arrives whole', async () => {
  const scene = ralphScene('cat >>"$HOME/starts"; echo "[$1]" >>"$HOME/starts"');
  scene.prompt('');
  await scene.spawned('--max-iterations', '1', '--prompt-via', 'stdin');
  scene.prompt(`$(rm -rf /) 'q' "d" \`b\`\nsecond line ; end`);
  await scene.spawned('--max-iterations', '1', '--prompt-via', 'stdin');
  expect(scene.starts()).toEqual(['start', '[]', 'start', `$(rm -rf /) 'q' "d" \`b\``, 'second line ; end[]']);
});
