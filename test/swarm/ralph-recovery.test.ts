/** The seed's recovery procedures, command by command, and what else can happen to a loop from outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { killWorkers } from '../../src/loops/swarm/workers/spawn.ts';
import type { Swarm } from '../../src/loops/swarm/workers/swarm.ts';
import { events, type RalphScene, ralphScene } from './ralph-scene.ts';
import { resumed, said } from './scene.ts';

function rmRf(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

describe('recovery procedure', () => {
  test('"Ralph loop crashed mid-iteration": the state says running, the supervisor is gone, resume continues', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate never; exit 0');
    const loop = scene.spawn(['--max-iterations', '2']);
    await scene.isWritten(1);
    loop.signal('SIGKILL');
    await loop.exited;
    // The crash also ended the worker.
    scene.tmux('kill-server');
    await scene.until(() => scene.tmuxIsGone());
    expect((await scene.swarm('ralph', 'status', 'agent')).stdout).toContain('Status: running\nIteration: 1/2\n');
    expect((await scene.swarm('status', 'agent')).code).toBe(1);
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(resumed());
    await scene.until(() => scene.state().status === 'stopped');
    expect(scene.state()).toMatchObject({ current_iteration: 2, total_failures: 0 });
    // The first iteration again, and the second.
    expect(scene.starts()).toHaveLength(3);
  });

  test('"Stuck in backoff": pause ends the wait, the prompt is fixed, resume tries at once', async () => {
    const scene = ralphScene('read -r line; echo "got $line" >>"$HOME/starts"; [ "$line" = Fixed. ]', 3_600_000);
    const loop = scene.spawn(['--max-iterations', '2']);
    await loop.says('iteration 1 failed (exit: 1), retrying in 1s (attempt 1/5)');
    expect(await scene.swarm('ralph', 'pause', 'agent')).toEqual(said('paused ralph loop for agent\n'));
    await loop.says('paused, waiting');
    scene.prompt('Fixed.\n');
    expect(await scene.swarm('ralph', 'resume', 'agent')).toEqual(said('resumed ralph loop for agent\n'));
    const { code, stdout } = await loop.exited;
    expect(stdout).toContain('[ralph] agent: starting iteration 2/2');
    expect(code).toBe(0);
    expect(scene.starts()).toEqual(['start', 'got Do the task.', 'start', 'got Fixed.']);
    expect(scene.state()).toMatchObject({ status: 'stopped', consecutive_failures: 0, total_failures: 1 });
  });

  test('"Want to change max-iterations mid-loop": pause, kill, spawn again with the new value', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate never; exit 0');
    const loop = scene.spawn(['--max-iterations', '1']);
    await scene.started(1);
    expect(await scene.swarm('ralph', 'pause', 'agent')).toEqual(said('paused ralph loop for agent\n'));
    expect(await scene.swarm('kill', 'agent')).toEqual(said('killed agent\n'));
    await loop.exited;
    const { code, stdout } = await scene.spawned('--max-iterations', '3');
    expect(stdout).toContain('spawned agent (tmux: swarm:agent) [ralph mode: iteration 1/3]\n');
    expect(stdout).toContain('[ralph] agent: loop complete after 3 iterations\n');
    expect(code).toBe(0);
  });

  test.each(['ralph/agent', 'ralph'])(
    '"Clean up ralph state": rm -rf of %s forgets a loop that is over',
    async (path) => {
      const scene = ralphScene('exit 0');
      await scene.spawned('--max-iterations', '2');
      rmRf(join(scene.home, path));
      expect((await scene.swarm('ralph', 'list')).stdout).toBe('');
      expect((await scene.swarm('ralph', 'status', 'agent')).code).toBe(1);
      const { stdout } = await scene.spawned('--max-iterations', '1');
      expect(stdout).toContain('loop complete after 1 iterations');
      expect(scene.state()).toMatchObject({ max_iterations: 1, current_iteration: 1 });
    },
  );
});

test('rm -rf of its folder while the loop writes there does no harm', async () => {
  const scene = ralphScene('exit 0', 1);
  const loop = scene.spawn(['--max-iterations', '20']);
  const line = 'while [ ! -e "$1" ]; do [ -e "$0/agent/state.json" ] && echo >>"$2"; rm -rf "$0"; done';
  const [over, removals] = [join(scene.folder, 'over'), join(scene.folder, 'removals')];
  const removing = spawn('sh', ['-c', line, join(scene.home, 'ralph'), over, removals], { stdio: 'ignore' });
  const { code, stdout, stderr } = await loop.exited;
  writeFileSync(over, '');
  await once(removing, 'exit');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('[ralph] agent: loop complete after 20 iterations');
  expect(scene.read('removals').length).toBeGreaterThan(1);
});

test('a prompt file that cannot be read ends the loop, and the message names it', async () => {
  const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
  const loop = scene.spawn(['--max-iterations', '2']);
  await scene.started(1);
  rmSync(join(scene.work, 'PROMPT.md'));
  mkdirSync(join(scene.work, 'PROMPT.md'));
  scene.open('go');
  const { code, stderr } = await loop.exited;
  const file = join(scene.work, 'PROMPT.md');
  expect(stderr).toBe(
    `swarm: error: cannot read prompt file: ${file}\nswarm: ${file} is not a plain file but a directory\n`,
  );
  expect(code).toBe(1);
  expect(scene.state().status).toBe('failed');
  // Ending a loop needs no prompt.
  expect(await scene.swarm('kill', 'agent')).toEqual(said('killed agent\n'));
  expect(scene.state().status).toBe('stopped');
});

test('a relative prompt file is the one of the spawn, wherever the loop is resumed', async () => {
  const scene = ralphScene('cat >>"$HOME/starts"; [ $n = 1 ] && gate go; exit 0');
  const loop = scene.spawn(['--max-iterations', '2', '--prompt-via', 'stdin']);
  await scene.started(2);
  loop.signal('SIGKILL');
  await loop.exited;
  scene.open('go');
  await scene.swarmIn({ cwd: scene.folder }, 'ralph', 'resume', 'agent');
  await scene.until(() => scene.state().status === 'stopped');
  expect(scene.starts()).toEqual(['start', 'Do the task.', 'start', 'Do the task.']);
});

test('a back-off that is longer than the inactivity timeout does not count as inactivity', async () => {
  const scene = ralphScene('[ $n -lt 4 ] && exit 1; exit 0', 200);
  const { code } = await scene.spawned('--max-iterations', '4', '--inactivity-timeout', '3');
  expect(code).toBe(0);
  const log = events(scene.read('home/ralph/agent/iterations.log'));
  expect(log).toContain('[FAIL] iteration 3 exit=1 attempt=3/5 backoff=4s');
  expect(log.filter((line) => line.startsWith('[TIMEOUT]'))).toEqual([]);
});

test('a loop with its own worktree works there in every iteration', async () => {
  const scene = ralphScene('pwd >>"$HOME/starts"; git branch --show-current >>"$HOME/starts"');
  const { code } = await scene.spawned('--max-iterations', '2', '--worktree');
  expect(code).toBe(0);
  const there = ['start', join(scene.folder, 'work-worktrees/agent'), 'agent'];
  expect(scene.starts()).toEqual([...there, ...there]);
});

test('in every iteration, the loop waits until an interactive agent is ready, without being asked to', async () => {
  const scene = ralphScene('true', 100);
  const claude = join(scene.folder, 'claude');
  const fake = resolve(import.meta.dirname, '../fakes/boxed-agent.mjs');
  // What is typed before it draws its input line is lost.
  const lines = ['#!/bin/sh', 'sleep 0.5', `exec '${process.execPath}' '${fake}' "$HOME/asked" 0 1`];
  writeFileSync(claude, `${lines.join('\n')}\n`, { mode: 0o755 });
  const login = ['--env', 'ANTHROPIC_API_KEY=x'];
  const flags = [...login, '--prompt-file', 'PROMPT.md', '--max-iterations', '2', '--inactivity-timeout', '20'];
  const { code, stdout, stderr } = await scene.swarm('spawn', '--name', 'agent', '--ralph', ...flags, '--', claude);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('inactivity timeout (20s), restarting');
  expect(scene.read('asked')).toBe('"Do the task."\n"Do the task."\n');
});

describe('the inactivity of an interactive agent', () => {
  /** Has the name of a known agent, so that the loop waits until it is ready. */
  function claudeScene(play: readonly string[], secondMs: number): RalphScene & { readonly claude: string } {
    const scene = ralphScene('true', secondMs);
    const claude = join(scene.folder, 'claude');
    writeFileSync(claude, ['#!/bin/sh', 'echo start >>"$HOME/starts"', ...play, ''].join('\n'), { mode: 0o755 });
    return { ...scene, claude };
  }

  test('begins once it has its prompt, however long it takes to be ready', async () => {
    const fake = resolve(import.meta.dirname, '../fakes/boxed-agent.mjs');
    const wait = 'until [ -e "$HOME/gate-go" ]; do sleep 0.02; done';
    const scene = claudeScene([wait, `exec '${process.execPath}' '${fake}' "$HOME/asked" 0 1`], 20);
    const flags = ['--max-iterations', '2', '--inactivity-timeout', '10', '--ready-timeout', '3000'];
    const loop = scene.start([
      'spawn',
      '--name',
      'agent',
      '--ralph',
      '--prompt-file',
      'PROMPT.md',
      ...flags,
      '--',
      scene.claude,
    ]);
    await scene.started(1);
    // Longer than the inactivity timeout.
    await scene.swarm('ralph', 'status', 'agent');
    await scene.swarm('ralph', 'status', 'agent');
    scene.open('go');
    expect((await loop.exited).code).toBe(0);
    expect(scene.read('asked')).toBe('"Do the task."\n"Do the task."\n');
    expect(scene.starts()).toHaveLength(2);
  });

  test('begins, too, when the wait for its readiness times out, after a warning', async () => {
    const scene = claudeScene(['echo "Select login method:"', 'exec sleep 60'], 100);
    const flags = ['--max-iterations', '1', '--inactivity-timeout', '1', '--ready-timeout', '8'];
    const { code, stdout } = await scene.swarm(
      'spawn',
      '--name',
      'agent',
      '--ralph',
      '--prompt-file',
      'PROMPT.md',
      ...flags,
      '--',
      scene.claude,
    );
    expect(code).toBe(0);
    const told = stdout.split('\n').filter((line) => /did not become ready|inactivity/.test(line));
    expect(told).toEqual([
      "swarm: warning: agent 'agent' did not become ready within 8s",
      '[ralph] agent: inactivity timeout (1s), restarting',
    ]);
  });
});

describe('tmux under a loop', () => {
  test('has no client of the loop: only people attach to a session', async () => {
    const scene = ralphScene('read -r line; sleep 0.2; tmux list-clients >>"$HOME/clients"');
    const { code } = await scene.spawned('--max-iterations', '2');
    expect(code).toBe(0);
    expect(scene.read('clients')).toBe('');
  });

  test('can end: the iteration starts over in a new server, and nothing counts as failed', async () => {
    const scene = ralphScene('read -r line; echo "got $line" >>"$HOME/starts"; [ $n = 2 ] && gate never; exit 0');
    const loop = scene.spawn(['--max-iterations', '3']);
    await scene.started(4);
    scene.tmux('kill-server');
    const { code, stdout } = await loop.exited;
    expect(stdout).toContain('[ralph] agent: loop complete after 3 iterations');
    expect(code).toBe(0);
    // The prompt reached the panes of the new server.
    expect(scene.starts()).toEqual(Array.from({ length: 4 }, () => ['start', 'got Do the task.']).flat());
    expect(scene.state()).toMatchObject({ current_iteration: 3, total_failures: 0, consecutive_failures: 0 });
  });
});

test('kill does not wait forever for a supervisor that does not respond, and ends its agent', async () => {
  const scene = ralphScene('echo $$ >>"$HOME/starts"; gate never');
  const loop = scene.spawn(['--max-iterations', '5']);
  await scene.started(2);
  loop.signal('SIGSTOP');
  onTestFinished(() => loop.signal('SIGCONT'));
  await expect(killWithin(scene, 50)).rejects.toThrow(
    "the supervisor of 'agent' does not respond; its agent was ended",
  );
  expect(scene.isRunning(Number(scene.starts()[1]))).toBe(false);
  // The command stands: once the supervisor wakes up, it obeys.
  loop.signal('SIGCONT');
  expect((await loop.exited).code).toBe(1);
  expect(scene.state()).toMatchObject({ status: 'stopped', current_iteration: 1 });
  expect(scene.starts()).toHaveLength(2);
});

function killWithin(scene: RalphScene, patience: number): Promise<void> {
  const swarm: Swarm = {
    home: scene.home,
    env: scene.env,
    cwd: scene.work,
    containment: null,
    stateRoot: '',
    self: [process.execPath, scene.program],
    say: () => undefined,
    warn: () => undefined,
    show: () => undefined,
  };
  return killWorkers(swarm, 'agent', { patience });
}
