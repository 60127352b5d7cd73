/** `swarm kill`, `clean`, `respawn`: what ends, what stays, what is printed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { sweep } from '../support/sweep.ts';
import { makeScene, refusal, said, WORKER_LEVELS } from './scene.ts';

describe.each(sweep(WORKER_LEVELS, WORKER_LEVELS.length))('on the level "%s"', (level) => {
  test('kill ends a process worker and everything it started, and keeps the record', async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'w', '--', 'sh', '-c', 'sleep 61 & setsid sleep 62 & exec sleep 63');
    await scene.until(
      () => processesOf(scene.folder).filter(({ command }) => command.startsWith('sleep')).length === 3,
    );
    expect(await scene.swarm('kill', 'w')).toEqual(said('killed w\n'));
    expect(processesOf(scene.folder)).toEqual([]);
    expect(JSON.parse(scene.read('home/state.json')).workers).toMatchObject([{ name: 'w', status: 'stopped' }]);
    expect(await scene.swarm('kill', 'w')).toEqual(said('killed w\n'));
  });

  test('kill uses force when a worker ignores the signal', async () => {
    const scene = makeScene(level);
    const stubborn = 'trap "" TERM HUP; echo ready; while :; do sleep 0.05; done';
    await scene.swarm('spawn', '--name', 'p', '--', 'sh', '-c', stubborn);
    await scene.swarm('spawn', '--name', 't', '--tmux', '--', 'sh', '-c', stubborn);
    await scene.printed('t', 'ready');
    expect(await scene.swarm('kill', '--all')).toEqual(said('killed p\nkilled t\n'));
    expect(processesOf(scene.folder).filter(({ command }) => command.includes('trap'))).toEqual([]);
  });

  test('kill ends a window, what it started outside of it, and with the last window the session', async () => {
    const scene = makeScene(level);
    const start = 'setsid nohup sleep 61 >/dev/null 2>&1 & echo ready; exec cat';
    await scene.swarm('spawn', '--name', 'a', '--tmux', '--', 'sh', '-c', start);
    await scene.swarm('spawn', '--name', 'b', '--tmux', '--', 'cat');
    await scene.printed('a', 'ready');
    expect(await scene.swarm('kill', 'a')).toEqual(said('killed a\n'));
    expect(processesOf(scene.folder).filter(({ command }) => command.startsWith('sleep'))).toEqual([]);
    expect(scene.tmux('list-windows', '-a', '-F', '#{window_name}')).toBe('b\n');
    expect(await scene.swarm('kill', 'b')).toEqual(said('killed b\n'));
    await scene.until(() => processesOf(scene.folder).length === 0);
  });

  test('kill needs the name of an existing worker', async () => {
    const scene = makeScene(level);
    expect(await scene.swarm('kill')).toEqual(refusal('must specify worker name or --all'));
    expect(await scene.swarm('kill', 'w')).toEqual(refusal("worker 'w' not found"));
  });

  test('a worker that kills itself is recorded as stopped', async () => {
    const scene = makeScene(level);
    const swarm = `'${process.execPath}' '${join(import.meta.dirname, '../../bin/swarm.cjs')}'`;
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', `read -r _; ${swarm} kill w`);
    expect(await scene.swarm('send', 'w', 'now', '--raw')).toEqual(said('sent to w\n'));
    await scene.until(() => JSON.parse(scene.read('home/state.json')).workers[0].status === 'stopped');
  });

  test('clean forgets a stopped worker: record, logs and proof', async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'p', '--', 'true');
    await scene.swarm('spawn', '--name', 't', '--tmux', '--', 'true');
    await scene.swarm('spawn', '--name', 'runs', '--tmux', '--', 'cat');
    await scene.swarm('wait', 'p');
    await scene.swarm('wait', 't');
    expect(await scene.swarm('clean', 'p')).toEqual(said('cleaned p\n'));
    expect(await scene.swarm('clean', '--all')).toEqual({
      code: 0,
      stdout: 'cleaned t\n',
      stderr: "swarm: warning: skipping 'runs' (still running)\n",
    });
    expect(await scene.swarm('ls', '--format', 'names')).toEqual(said('runs\n'));
    for (const path of ['logs/p.stdout.log', 'logs/p.stderr.log', 'logs/t.tmux.log', 'workers/p', 'workers/t']) {
      expect([path, existsSync(join(scene.home, path))]).toEqual([path, false]);
    }
  });

  test('clean refuses a running worker, an unknown one, and a missing name', async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'w', '--', 'sleep', '60');
    expect(await scene.swarm('clean', 'w')).toEqual(refusal("cannot clean running worker 'w'"));
    expect(await scene.swarm('clean', 'missing')).toEqual(refusal("worker 'missing' not found"));
    expect(await scene.swarm('clean')).toEqual(refusal('must specify worker name or use --all'));
    expect(await scene.swarm('ls', '--format', 'names')).toEqual(said('w\n'));
  });

  test('respawn starts a worker with the same settings, whether it runs or not', async () => {
    const scene = makeScene(level);
    const given = ['--env', 'FOO=bar', '--tag', 'x', '--cwd', scene.folder];
    const print = ['sh', '-c', 'echo "$FOO $PWD $$"; exec sleep 60'];
    await scene.swarm('spawn', '--name', 't', '--tmux', '--session', 's', ...given, '--', ...print);
    await scene.swarm('spawn', '--name', 'p', ...given, '--', ...print);
    const [, before] = JSON.parse(scene.read('home/state.json')).workers;
    await scene.swarm('kill', 't');
    expect(await scene.swarm('respawn', 't')).toEqual(said('respawned t (tmux: s:t)\n'));
    const { stdout } = await scene.swarm('respawn', 'p');
    const workers = JSON.parse(scene.read('home/state.json')).workers;
    const process = workers.find((worker: { name: string }) => worker.name === 'p');
    expect(stdout).toBe(`respawned p (pid: ${process.pid})\n`);
    expect(process.pid).not.toBe(before.pid);
    expect(scene.isRunning(before.pid)).toBe(false);
    expect(process).toEqual({ ...before, pid: process.pid, started: process.started });
    await scene.printed('t', `bar ${scene.folder}`);
    expect(await scene.swarm('respawn', 'missing')).toEqual(refusal("worker 'missing' not found"));
  });

  test('the log of a new worker contains nothing of an earlier one with its name', async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'echo DONE');
    await scene.swarm('wait', 'w');
    await scene.printed('w', 'DONE');
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'echo second; exec cat');
    await scene.printed('w', 'second');
    expect(scene.read('home/logs/w.tmux.log')).not.toContain('DONE');
    expect(scene.read('home/logs/w.tmux.log.previous')).toContain('DONE');
  });
});
