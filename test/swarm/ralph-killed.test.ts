/** `swarm ralph` after its supervisor was killed, and `kill` and `clean`: no agent is started twice or lost. */
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closing, events, ralphScene } from './ralph-scene.ts';
import { refusal, resumed, said } from './scene.ts';

describe('a supervisor that was killed', () => {
  test('leaves its agent running; resume adopts it and starts no second one', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate go; echo "end $n" >>"$HOME/starts"; [ $n = 1 ] && exit 4; exit 0');
    const loop = scene.spawn(['--max-iterations', '2']);
    await scene.started(1);
    loop.signal('SIGKILL');
    await loop.exited;
    expect(scene.state().status).toBe('running');
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(resumed());
    scene.open('go');
    await scene.until(() => scene.state().status === 'stopped');
    expect(scene.starts()).toEqual(['start', 'end 1', 'start', 'end 2']);
    // The exit code of the adopted agent was read, not guessed.
    expect(events(scene.read('home/ralph/agent/iterations.log'))).toContain(
      '[FAIL] iteration 1 exit=4 attempt=1/5 backoff=1s',
    );
  });

  test('whose agent has ended meanwhile: the loop continues with that agent’s exit code', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate go; [ $n = 1 ] && exit 5; exit 0');
    const loop = scene.spawn(['--max-iterations', '2']);
    await scene.started(1);
    loop.signal('SIGKILL');
    await loop.exited;
    scene.open('go');
    await scene.until(() => scene.tmuxIsGone());
    const { code, stdout } = await scene.swarm('ralph', 'run', 'agent');
    expect(stdout).toContain('iteration 1 failed (exit: 5), retrying in 1s (attempt 1/5)');
    expect(code).toBe(0);
    expect(scene.starts()).toHaveLength(2);
  });

  test.each([
    ['long before a command looks: the time that it took is its own', 3_630_000, '1h 0m'],
    ['before its start was recorded: it took no time', -30_000, '0s'],
  ])('whose agent has ended %s', async (_when, afterStart, duration) => {
    const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
    const loop = scene.spawn(['--max-iterations', '1']);
    await scene.isWritten(1);
    loop.signal('SIGKILL');
    await loop.exited;
    scene.open('go');
    const window = join(scene.home, 'workers/agent/window');
    const exits = (): string[] => readdirSync(window).filter((name) => name.endsWith('.exit'));
    await scene.until(() => scene.tmuxIsGone() && exits().length > 0);
    const exit = join(window, exits()[0] ?? '');
    // No command has looked yet, so the time of the end can be changed.
    const ended = Date.parse(scene.state().last_iteration_started) + afterStart;
    utimesSync(exit, ended / 1000, ended / 1000);
    const { stdout } = await scene.swarm('ralph', 'run', 'agent');
    expect(stdout).toContain(`[ralph] agent: iteration 1 completed (exit: 0, duration: ${duration})\n`);
  });
});

describe('kill', () => {
  test('ends the agent and the loop', async () => {
    const scene = ralphScene('gate never');
    const loop = scene.spawn(['--max-iterations', '5']);
    await scene.started(1);
    expect(await scene.swarm('kill', 'agent')).toEqual(said('killed agent\n'));
    const { code, stdout } = await loop.exited;
    expect(closing(stdout, '[ralph] agent: killed, stopping loop')).toEqual([
      '✗ Stopped after 1 iteration, as you asked · Ns · cost unknown',
      '  1 changed file is not committed.',
      '  swarm clean agent   remove the worker, its logs and its worktree',
    ]);
    expect(code).toBe(1);
    expect(scene.state()).toMatchObject({ status: 'stopped', current_iteration: 1, total_failures: 0 });
    expect(events(scene.read('home/ralph/agent/iterations.log')).at(-1)).toBe(
      '[DONE] loop complete after 1 iterations reason=killed',
    );
    expect(scene.starts()).toHaveLength(1);
  });

  test('ends a loop without a supervisor', async () => {
    const scene = ralphScene('gate never');
    const loop = scene.spawn(['--max-iterations', '5']);
    await scene.isWritten(1);
    loop.signal('SIGKILL');
    await loop.exited;
    expect(await scene.swarm('kill', 'agent')).toEqual(said('killed agent\n'));
    expect(scene.state()).toMatchObject({ status: 'stopped', consecutive_failures: 0, total_failures: 0 });
    const log = events(scene.read('home/ralph/agent/iterations.log'));
    expect(log).toEqual(['[START] iteration 1/5', '[DONE] loop complete after 1 iterations reason=killed']);
  });

  test('lets a new worker of the same name start over', async () => {
    const scene = ralphScene('[ -e "$HOME/second" ] || gate never; exit 0');
    const loop = scene.spawn(['--max-iterations', '5']);
    await scene.started(1);
    expect(await scene.spawned('--max-iterations', '2')).toEqual(refusal("worker 'agent' already exists"));
    await scene.swarm('ralph', 'pause', 'agent');
    await scene.swarm('kill', 'agent');
    await loop.exited;
    writeFileSync(join(scene.folder, 'second'), '');
    const { stdout } = await scene.spawned('--max-iterations', '2');
    expect(stdout).toContain('loop complete after 2 iterations');
    expect(scene.state()).toMatchObject({ max_iterations: 2, current_iteration: 2, status: 'stopped' });
  });
});

describe('clean', () => {
  const HINT = 'swarm: A supervisor runs its loop. To end it, run: swarm kill agent\n';

  test('is refused while a supervisor drives the loop, even between two agents', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
    const loop = scene.spawn(['--max-iterations', '2', '--worktree']);
    await scene.started(1);
    await scene.swarm('ralph', 'pause', 'agent');
    scene.open('go');
    await loop.says('paused, waiting');
    expect(await scene.swarm('clean', 'agent')).toEqual({
      ...refusal("cannot clean running worker 'agent'"),
      stderr: `swarm: error: cannot clean running worker 'agent'\n${HINT}`,
    });
    expect(existsSync(join(scene.folder, 'work-worktrees/agent'))).toBe(true);
    // No other worker can take its name, either, when the list of workers is lost.
    rmSync(join(scene.home, 'state.json'));
    expect(await scene.spawned('--max-iterations', '2')).toEqual(refusal("worker 'agent' already exists"));
    expect((await scene.swarm('ls', '--format', 'names')).stdout).toBe('agent\n');
    await scene.swarm('ralph', 'resume', 'agent');
    expect((await loop.exited).code).toBe(0);
    expect(await scene.swarm('clean', 'agent')).toEqual(said('cleaned agent\n'));
  });

  test('of all skips a loop that waits after a failure', async () => {
    const scene = ralphScene('exit 1', 3_600_000);
    const loop = scene.spawn(['--max-iterations', '5']);
    await loop.says('retrying in 1s');
    const warning = "swarm: warning: skipping 'agent' (still running)\n";
    expect(await scene.swarm('clean', '--all')).toEqual({ code: 0, stdout: '', stderr: warning });
    expect((await scene.swarm('ls', '--format', 'names')).stdout).toBe('agent\n');
  });
});
