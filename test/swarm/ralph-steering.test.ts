/** `swarm ralph`: pause, resume and signals: what continues and what stops. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closing, events, ralphScene } from './ralph-scene.ts';
import { refusal, resumed, said } from './scene.ts';

describe('pause and resume', () => {
  test('the running agent finishes, no other one is started; resume continues where it was', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
    const loop = scene.spawn(['--max-iterations', '2']);
    await scene.started(1);
    expect(await scene.swarm('ralph', 'pause', 'agent')).toEqual(said('paused ralph loop for agent\n'));
    expect(scene.state().status).toBe('paused');
    expect(await scene.swarm('ralph', 'pause', 'agent')).toEqual({
      code: 0,
      stdout: '',
      stderr: "swarm: warning: worker 'agent' is already paused\n",
    });
    scene.open('go');
    await loop.says('iteration 1 completed');
    await loop.says('paused, waiting');
    expect(scene.starts()).toHaveLength(1);
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(said('resumed ralph loop for agent\n'));
    const { code, stdout } = await loop.exited;
    expect(stdout).toContain('[ralph] agent: starting iteration 2/2');
    expect(code).toBe(0);
    expect(events(scene.read('home/ralph/agent/iterations.log'))).toContain('[PAUSE] loop paused reason=manual');
  });

  test('a pause ends a back-off at once', async () => {
    const scene = ralphScene('exit 1', 3_600_000);
    const loop = scene.spawn(['--max-iterations', '5']);
    await loop.says('retrying in 1s');
    await scene.swarm('ralph', 'pause', 'agent');
    await loop.says('paused, waiting');
    expect(scene.state()).toMatchObject({ status: 'paused', consecutive_failures: 1 });
  });

  test('resume of a loop that is not paused is a warning', async () => {
    const scene = ralphScene('gate never');
    scene.spawn(['--max-iterations', '2']);
    await scene.started(1);
    const exited = { code: 0, stdout: '', stderr: "swarm: warning: worker 'agent' is not paused\n" };
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(exited);
  });

  test('of a worker without a loop, or with one that is over, is refused', async () => {
    const scene = ralphScene('exit 0');
    await scene.swarm('spawn', '--name', 'plain', '--', 'sleep', '60');
    for (const verb of ['pause', 'resume', 'status']) {
      expect(await scene.swarm('ralph', verb, 'plain')).toEqual(refusal("worker 'plain' is not a ralph worker"));
    }
    await scene.spawned('--max-iterations', '9', '--done-pattern', '');
    for (const verb of ['pause', 'resume', 'run']) {
      expect(await scene.swarm('ralph', verb, 'agent')).toEqual(refusal("ralph loop for 'agent' has status 'stopped'"));
    }
  });
});

describe('a loop that is over', () => {
  test('by its limit can be continued with a higher one', async () => {
    const scene = ralphScene('exit 0');
    await scene.spawned('--max-iterations', '2');
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        "swarm: error: ralph loop for 'agent' has status 'stopped'\n" +
        'swarm: It reached its limit. To continue, run: swarm ralph resume agent --max-iterations 4\n',
    });
    // A refusal changes nothing.
    const file = scene.read('home/ralph/agent/state.json');
    expect((await scene.swarm('ralph', 'resume', 'agent', '--max-iterations', '1')).code).toBe(1);
    expect(scene.read('home/ralph/agent/state.json')).toBe(file);
    expect(await scene.swarm('ralph', 'resume', 'agent', '--max-iterations', '4')).toEqual(resumed());
    await scene.until(() => scene.state().status === 'stopped');
    expect(scene.state()).toMatchObject({ current_iteration: 4, max_iterations: 4 });
    expect(scene.starts()).toHaveLength(4);
    expect(events(scene.read('home/ralph/agent/iterations.log')).at(-1)).toBe(
      '[DONE] loop complete after 4 iterations reason=max_iterations',
    );
  });

  test('by its failures can be continued once they are fixed, and their count is reset', async () => {
    const scene = ralphScene('[ -e "$HOME/gate-fixed" ]', 2);
    const { code, stdout } = await scene.spawned('--max-iterations', '5');
    expect(code).toBe(1);
    expect(scene.state()).toMatchObject({ status: 'failed', consecutive_failures: 5 });
    expect(stdout).toMatch(/\n {2}swarm ralph resume agent --max-iterations 10\n/);
    scene.open('fixed');
    expect(await scene.swarm('ralph', 'resume', 'agent', '--max-iterations', '6')).toEqual(resumed());
    await scene.until(() => scene.state().status === 'stopped');
    expect(scene.state()).toMatchObject({ current_iteration: 6, consecutive_failures: 0, total_failures: 5 });
  });
});

describe('a signal to the supervisor', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s lets the agent finish and pauses the loop', async (signal) => {
    const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
    const loop = scene.spawn(['--max-iterations', '2']);
    await scene.started(1);
    loop.signal(signal);
    await loop.says('received SIGTERM, pausing loop (current agent will complete)');
    expect(scene.state()).toMatchObject({ status: 'paused', current_iteration: 1 });
    scene.open('go');
    const { code, stdout } = await loop.exited;
    expect(code).toBe(130);
    expect(stdout).toContain('iteration 1 completed (exit: 0');
    expect(stdout).toMatch(/\n! Interrupted after 1 iteration · \d+s · cost unknown\n/);
    expect(stdout).toMatch(/\n {2}swarm ralph resume agent {3}continue\n$/);
    expect(scene.state()).toMatchObject({ status: 'paused', current_iteration: 1 });
    expect(await scene.swarm('ralph', 'run', 'agent')).toEqual(
      refusal("ralph loop for 'agent' is paused (use 'swarm ralph resume agent' first)"),
    );
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(resumed());
    await scene.until(() => scene.state().status === 'stopped');
    expect(scene.starts()).toHaveLength(2);
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a second %s ends the agent, and resume begins the iteration again',
  async (signal) => {
    // With a child that the end of its window does not reach.
    const child = 'setsid tail -f "$HOME/starts" & echo $! >>"$HOME/starts"';
    const scene = ralphScene(`[ $n = 1 ] && { ${child}; gate never; }; exit 0`);
    const loop = scene.spawn(['--max-iterations', '2']);
    await scene.started(2);
    loop.signal(signal);
    await loop.says('pausing loop');
    expect(scene.isRunning(Number(scene.starts()[1]))).toBe(true);
    loop.signal(signal);
    const { code, stdout } = await loop.exited;
    expect(code).toBe(130);
    expect(scene.tmuxIsGone()).toBe(true);
    expect(scene.isRunning(Number(scene.starts()[1]))).toBe(false);
    expect(closing(stdout, '[ralph] agent: received a second signal, ending the agent now')).toEqual([
      '! Interrupted after 1 iteration · Ns · cost unknown',
      '  Nothing is lost: the loop can continue from here.',
      '  1 changed file is not committed.',
      '  swarm ralph resume agent   continue',
    ]);
    expect(scene.state()).toMatchObject({ status: 'paused', current_iteration: 1, total_failures: 0 });
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(resumed());
    await scene.until(() => scene.state().status === 'stopped');
    expect(scene.state()).toMatchObject({ current_iteration: 2, total_failures: 0 });
    expect(scene.starts().filter((line) => line === 'start')).toHaveLength(3);
  },
);

test('a new worker does not replace a loop of its name that is not over', async () => {
  const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
  const loop = scene.spawn(['--max-iterations', '2']);
  await scene.started(1);
  loop.signal('SIGTERM');
  await loop.says('received SIGTERM');
  scene.open('go');
  await loop.exited;
  const { code, stderr } = await scene.spawned('--max-iterations', '9');
  expect(code).toBe(1);
  expect(stderr).toBe(
    "swarm: error: worker 'agent' already exists\nswarm: Its loop is not over. To continue it, run: swarm ralph resume agent; to delete it: swarm ralph clean agent\n",
  );
  expect(scene.state()).toMatchObject({ status: 'paused', max_iterations: 2 });
  await scene.swarm('ralph', 'clean', 'agent');
  expect((await scene.spawned('--max-iterations', '1')).code).toBe(0);
});

test('a loop that is resumed while its supervisor exits continues in the background', async () => {
  const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
  const loop = scene.spawn(['--max-iterations', '2']);
  await scene.started(1);
  loop.signal('SIGTERM');
  await loop.says('received SIGTERM');
  expect((await scene.swarm('ralph', 'pause', 'agent')).stderr).toBe(
    "swarm: warning: worker 'agent' is already paused\n",
  );
  expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(said('resumed ralph loop for agent\n'));
  expect(scene.state().status).toBe('running');
  scene.open('go');
  const { code, stdout } = await loop.exited;
  expect(stdout).toContain('[ralph] agent: resumed in the meantime, a new supervisor continues in the background\n');
  expect(code).toBe(130);
  await scene.until(() => scene.state().status === 'stopped');
  expect(scene.starts()).toHaveLength(2);
});

test('--detach runs the loop in the background and says how to watch it', async () => {
  const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
  const { code, stdout } = await scene.spawned('--max-iterations', '2', '--detach');
  expect(stdout).toBe(`spawned agent (tmux: swarm:agent) [ralph mode: iteration 1/2]

Monitor:
  swarm ralph status agent    # loop progress
  swarm peek agent            # terminal output
  swarm ralph logs agent      # iteration history
  swarm kill agent            # stop worker
`);
  expect(code).toBe(0);
  await scene.started(1);
  scene.open('go');
  await scene.until(() => scene.state().status === 'stopped');
  expect(scene.starts()).toHaveLength(2);
});

test('the exit code of a loop tells a shell whether it is complete', async () => {
  const scene = ralphScene('[ "$(cat "$HOME/how")" = good ]', 2);
  const line = `"$0" "$1" spawn --name agent --ralph --prompt-file PROMPT.md --max-iterations 2 -- "$2" >/dev/null && echo complete || echo failed`;
  const run = (): string =>
    execFileSync('sh', ['-c', line, process.execPath, scene.program, join(scene.folder, 'agent.sh')], {
      cwd: scene.work,
      env: scene.env,
      encoding: 'utf8',
    });
  writeFileSync(join(scene.folder, 'how'), 'good');
  expect(run()).toBe('complete\n');
});

test('respawn leaves a loop alone, and says how to continue it', async () => {
  const scene = ralphScene('gate never');
  scene.spawn(['--max-iterations', '2']);
  await scene.started(1);
  const { code, stderr } = await scene.swarm('respawn', 'agent');
  expect(stderr).toContain("swarm: error: worker 'agent' has a loop, which starts its agent\n");
  expect(stderr).toContain('swarm ralph resume agent');
  expect(code).toBe(1);
  expect(scene.starts()).toHaveLength(1);
});
