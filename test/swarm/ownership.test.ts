/** swarm ends only what it created and can prove to be its own. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { sweep } from '../support/sweep.ts';
import { makeScene, refusal, said, WORKER_LEVELS } from './scene.ts';

function windows(scene: ReturnType<typeof makeScene>): string[] {
  return scene.tmux('list-windows', '-a', '-F', '#{session_name}:#{window_name}').trim().split('\n').sort();
}

describe.each(sweep(WORKER_LEVELS, WORKER_LEVELS.length))('on the level "%s"', (level) => {
  test('a renamed window is still the worker', async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
    scene.tmux('rename-window', '-t', 'swarm:w', 'other');
    scene.tmux('rename-session', '-t', 'swarm', 'mine');
    expect((await scene.swarm('status', 'w')).code).toBe(0);
    expect(await scene.swarm('send', 'w', 'hello')).toEqual(said('sent to w\n'));
    await scene.printed('w', 'hello');
    expect(await scene.swarm('kill', 'w')).toEqual(said('killed w\n'));
    await scene.until(() => processesOf(scene.folder).length === 0);
  });

  test('a window of the same name that the user made is never touched', async () => {
    const scene = makeScene(level);
    scene.userSession('swarm', '-n', 'w', 'cat');
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
    expect(windows(scene)).toEqual(['swarm:w', 'swarm:w']);
    await scene.swarm('send', 'w', 'for the worker', '--raw');
    await scene.printed('w', 'for the worker');
    expect(scene.tmux('capture-pane', '-p', '-t', 'swarm:0').trim()).toBe('');
    expect(await scene.swarm('kill', 'w')).toEqual(said('killed w\n'));
    expect(await scene.swarm('kill', 'w')).toEqual(said('killed w\n'));
    expect(await scene.swarm('send', 'w', 'missing')).toEqual(refusal("worker 'w' is not running"));
    expect(await scene.swarm('clean', 'w')).toEqual(said('cleaned w\n'));
    expect(windows(scene)).toEqual(['swarm:w']);
  });

  test('a session of swarm stays while a window of the user is in it, and otherwise ends with its last worker', async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
    const mine = scene.tmux('new-window', '-d', '-P', '-F', '#{window_id}', '-t', 'swarm:', '-n', 'mine', 'cat').trim();
    expect(await scene.swarm('kill', '--all')).toEqual(said('killed w\n'));
    expect(windows(scene)).toEqual(['swarm:mine']);
    scene.tmux('kill-window', '-t', mine);
  });

  test("a pane that the user split off the worker's window stays", async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
    const split = scene.tmux('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', 'swarm:w', 'cat').trim();
    await scene.swarm('kill', 'w');
    expect(scene.tmux('list-panes', '-a', '-F', '#{pane_id}').trim()).toBe(split);
    scene.tmux('kill-pane', '-t', split);
  });

  test("a worker's pane that the user moved into their own window is still the worker, and that window stays", async () => {
    const scene = makeScene(level);
    scene.userSession('mine', '-n', 'editor', 'cat');
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
    scene.tmux('join-pane', '-d', '-s', 'swarm:w', '-t', 'mine:editor');
    expect((await scene.swarm('status', 'w')).code).toBe(0);
    await scene.swarm('kill', 'w');
    expect(windows(scene)).toEqual(['mine:editor']);
    expect(scene.tmux('list-panes', '-a', '-F', '#{pane_id}').trim().split('\n')).toHaveLength(1);
  });

  test('if the server is killed, the worker is stopped, the reason is reported, and nothing is lost', async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'echo words; exec cat');
    await scene.printed('w', 'words');
    scene.tmux('kill-server');
    await scene.until(() => processesOf(scene.folder).length === 0);
    expect((await scene.swarm('status', 'w')).code).toBe(1);
    const { code, stderr } = await scene.swarm('send', 'w', 'hello');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `swarm: error: worker 'w' is not running\nswarm: The tmux server it ran in has ended. Its output is in ${scene.home}/logs/w.tmux.log; \`swarm respawn w\` starts it again.\n`,
    );
    expect(await scene.swarm('logs', 'w')).toEqual(said('words\n'));
    expect(await scene.swarm('kill', 'w')).toEqual(said('killed w\n'));
    expect(await scene.swarm('respawn', 'w')).toEqual(said('respawned w (tmux: swarm:w)\n'));
  });

  test('a new server gives the old ids to other windows, which are not taken for the worker', async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
    const { paneId } = JSON.parse(scene.read('home/workers/w/window/window.json'));
    scene.tmux('kill-server');
    await scene.until(() => processesOf(scene.folder).length === 0);
    scene.userSession('swarm', '-n', 'w', 'cat');
    expect(scene.tmux('list-panes', '-a', '-F', '#{pane_id}').trim()).toBe(paneId);
    expect((await scene.swarm('status', 'w')).code).toBe(1);
    await scene.swarm('kill', 'w');
    expect(windows(scene)).toEqual(['swarm:w']);
  });

  test('a pid that belongs to another process by now is neither shown as running nor ended', async () => {
    const scene = makeScene(level);
    await scene.swarm('spawn', '--name', 'w', '--', 'true');
    await scene.swarm('wait', 'w');
    scene.userSession('mine', 'exec sleep 60');
    const pid = Number(scene.tmux('display-message', '-p', '-t', 'mine:', '#{pane_pid}'));
    const state = JSON.parse(scene.read('home/state.json'));
    state.workers[0].pid = pid;
    writeFileSync(join(scene.home, 'state.json'), JSON.stringify(state));
    const leader = join(scene.home, 'workers/w/process/leader.json');
    writeFileSync(leader, JSON.stringify({ pid, startTime: '1', boot: 'earlier' }));
    expect((await scene.swarm('status', 'w')).code).toBe(1);
    expect(await scene.swarm('kill', 'w')).toEqual(said('killed w\n'));
    expect(scene.isRunning(pid)).toBe(true);
  });

  test('a record without proof, such as another program’s, counts as stopped, and its window is left alone', async () => {
    const scene = makeScene(level);
    scene.userSession('swarm', '-n', 'w', 'cat');
    const tmux = { session: 'swarm', window: 'w', socket: null };
    await scene.swarm('spawn', '--name', 'x', '--', 'true');
    await scene.swarm('kill', 'x');
    writeFileSync(join(scene.home, 'state.json'), JSON.stringify({ workers: [{ name: 'w', cmd: ['cat'], tmux }] }));
    expect((await scene.swarm('status', 'w')).code).toBe(1);
    expect(await scene.swarm('kill', 'w')).toEqual(said('killed w\n'));
    expect(windows(scene)).toEqual(['swarm:w']);
  });

  test('a worker of another SWARM_HOME on the same server is left alone', async () => {
    const scene = makeScene(level);
    const other = { env: { SWARM_HOME: join(scene.folder, 'other') } };
    await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
    await scene.swarmIn(other, 'spawn', '--name', 'w', '--tmux', '--', 'cat');
    expect(windows(scene)).toEqual(['swarm:w', 'swarm:w']);
    await scene.swarm('kill', '--all');
    expect((await scene.swarmIn(other, 'status', 'w')).code).toBe(0);
    await scene.swarmIn(other, 'kill', '--all');
  });

  test('killing a worker does not end the workers that it started', async () => {
    const scene = makeScene(level);
    const swarm = `'${process.execPath}' '${join(import.meta.dirname, '../../bin/swarm.cjs')}'`;
    const spawn = `${swarm} spawn --name child --tmux --tmux-socket apart -- cat; ${swarm} spawn --name process -- sleep 60`;
    await scene.swarm('spawn', '--name', 'parent', '--tmux', '--', 'sh', '-c', `${spawn}; exec cat`);
    await scene.printed('parent', 'spawned process');
    await scene.swarm('kill', 'parent');
    expect((await scene.swarm('status', 'child')).code).toBe(0);
    expect((await scene.swarm('status', 'process')).code).toBe(0);
  });

  test.each(['workers/w/window/window.json', 'logs/w.tmux.log', 'workers/w/record.json', 'state.json'])(
    'a spawn that is killed when %s exists leaves one worker or none, never one without a record',
    async (file) => {
      const scene = makeScene(level);
      scene.userSession('mine', 'cat');
      const spawning = scene.start(['spawn', '--name', 'w', '--tmux', '--', 'cat']);
      await scene.until(() => existsSync(join(scene.home, file)));
      spawning.signal('SIGKILL');
      await spawning.exited;
      const again = await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
      const isRecorded = again.stderr === "swarm: error: worker 'w' already exists\n";
      expect(again).toEqual(isRecorded ? refusal("worker 'w' already exists") : said('spawned w (tmux: swarm:w)\n'));
      expect(windows(scene).filter((name) => name === 'swarm:w')).toHaveLength(1);
      await scene.swarm('kill', 'w');
      expect(windows(scene)).toHaveLength(1);
    },
  );
});
