import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { levelsOfThisMachine } from '../../test/support/levels.ts';
import { processesOf } from '../../test/support/programs/processes.ts';
import { type CgroupHome, findCgroupHome, leafPath } from '../process/containment/cgroup.ts';
import type { Containment } from '../process/containment/containment.ts';
import type { ContainmentLevel } from '../process/containment/levels.ts';
import { findProgram } from '../process/which.ts';
import { type Tmux, TmuxError, tmuxAt } from './command.ts';
import { createWindow, type WindowRequest } from './create-window.ts';
import {
  exitOf,
  isAlive,
  isMade,
  killWindow,
  logIsWhole,
  markOf,
  paneOfWindow,
  readWindow,
  serverIsAlive,
  type Window,
  writeWindow,
} from './window.ts';
import { workerContainment } from './worker-mark.ts';

let folder: string;
let tmux: Tmux;
let containment: Containment = { level: 'group' };

beforeEach(() => {
  folder = testFolder();
  const env = { PATH: process.env.PATH, HOME: folder, TMUX_TMPDIR: folder };
  tmux = tmuxAt({ socket: 'test' }, env);
  onTestFinished(async () => {
    await tmux.ask(['kill-server']);
    while (processesOf(folder).length > 0) await sleep(5);
  });
});

const here = levelsOfThisMachine().filter((level) => level !== 'pid-namespace');

function open(...argv: string[]): Promise<Window> {
  return createWindow(request(argv));
}

function request(argv: readonly string[]): WindowRequest {
  const files = { folder: join(folder, 'w'), log: join(folder, 'log') };
  return {
    tmux,
    session: 's',
    worker: 'w',
    ...files,
    argv,
    cwd: folder,
    containment,
    env: {},
  };
}

function threadedHome(): CgroupHome {
  const home = findCgroupHome();
  if (home === null) throw new Error('there is a cgroup');
  const path = join(home.path, `ralph-test-threaded-${process.pid}`);
  mkdirSync(path);
  writeFileSync(join(path, 'cgroup.type'), 'threaded');
  return { ...home, path };
}

async function until(look: () => boolean): Promise<void> {
  while (!look()) await sleep(5);
}

describe.each(here)('on the level "%s"', (level) => {
  beforeEach(() => {
    containment = workerContainment(level);
  });

  test('a window is alive until its command ends; then its status and all of its output are on disk', async () => {
    const window = await open('sh', '-c', 'read -r line; seq 1 5000; echo "got $line"; exit 5');
    expect(isAlive(window)).toBe(true);
    expect(exitOf(join(folder, 'w'), window)).toBeNull();
    const pane = paneOfWindow(window, tmux.env);
    expect(await pane.isThere()).toBe(true);
    await pane.type('it');
    await pane.press('Enter');
    await until(() => !isAlive(window));
    await logIsWhole(join(folder, 'w'), window);
    expect(exitOf(join(folder, 'w'), window)).toEqual({ by: 'code', code: 5 });
    const log = readFileSync(join(folder, 'log'), 'utf8');
    expect(log).toContain('\r\n4999\r\n5000\r\ngot it\r\n');
    expect(await pane.isThere()).toBe(false);
    await expect(pane.capture()).rejects.toThrow(TmuxError);
  });

  test('a path that tmux would expand or a shell would read is only a path', async () => {
    const log = join(folder, `it's 100% %H #{pane_id} #(true) $HOME.log`);
    const window = await createWindow({ ...request(['sh', '-c', 'echo words; exec cat']), log });
    await until(() => readFileSync(log, 'utf8').includes('words'));
    expect(isAlive(window)).toBe(true);
    await killWindow(window, tmux.env);
  });

  test('the window of a maker that died before it could say where is found by its nonce and ended', async () => {
    const { v, worker, nonce, leaf } = await open('cat');
    writeWindow(join(folder, 'w'), { v, worker, nonce, leaf, address: tmux.address });
    const planned = readWindow(join(folder, 'w'));
    if (planned === null || isMade(planned)) throw new Error('it is not planned');
    await killWindow(planned, tmux.env);
    await until(() => processesOf(folder).length === 0);
    expect(processesOf(folder)).toEqual([]);
  });

  test('a window with another nonce under the same id is left alone', async () => {
    const window = await open('cat');
    const impostor = { ...window, nonce: 'f'.repeat(32), pane: null };
    await killWindow(impostor, tmux.env, 0);
    expect(isAlive(window)).toBe(true);
    await expect(paneOfWindow(impostor, tmux.env).type('x')).rejects.toThrow('its tmux window is gone');
    await killWindow(window, tmux.env);
    expect(isAlive(window)).toBe(false);
  });

  test('a status of an earlier window of the name is not the new one’s', async () => {
    const first = await open('sh', '-c', 'exit 0');
    await until(() => exitOf(join(folder, 'w'), first) !== null);
    const second = await open('cat');
    expect(exitOf(join(folder, 'w'), second)).toBeNull();
    await killWindow(second, tmux.env);
  });

  test('what the command left is ended: children, those in a session of their own, those that do not listen', async () => {
    const lines = 'setsid sleep 61 & trap "" TERM HUP; sleep 62 & echo ready; while :; do sleep 0.05; done';
    const window = await open('sh', '-c', lines);
    await until(() => readFileSync(join(folder, 'log'), 'utf8').includes('ready'));
    await killWindow(window, tmux.env, 20);
    await until(() => processesOf(folder).length === 0);
    expect(window.leaf !== null && existsSync(window.leaf)).toBe(false);
  });
});

test('what tmux refuses is reported in its words, and no window is left', async () => {
  await expect(createWindow({ ...request(['cat']), cwd: join(folder, 'none') })).rejects.toThrow('no such directory');
  const nowhere = tmuxAt({ socketPath: join(folder, 'x'.repeat(200)) }, tmux.env);
  await expect(createWindow({ ...request(['cat']), tmux: nowhere })).rejects.toThrow(TmuxError);
  const missing = tmuxAt({ socket: 'test' }, { PATH: folder });
  await expect(createWindow({ ...request(['cat']), tmux: missing })).rejects.toThrow('tmux is not installed');
  expect(processesOf(folder)).toEqual([]);
});

test('a pane that hangs before its command starts is ended, and createWindow says so', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  // In the pane, where the start script marks the window, it never answers.
  const real = findProgram('tmux', process.env.PATH, folder);
  const script = `#!/bin/sh\n[ -z "$TMUX_PANE" ] || exec sleep 61\nexec ${real} "$@"\n`;
  writeFileSync(join(bin, 'tmux'), script, { mode: 0o755 });
  const hanging = tmuxAt({ socket: 'test' }, { ...tmux.env, PATH: `${bin}:${process.env.PATH}` });
  const created = createWindow({ ...request(['cat']), tmux: hanging, startWithin: 1000 });
  await expect(created).rejects.toThrow('the window did not start its command within 1s');
  // The server ends with its only window.
  await until(() => processesOf(folder).length === 0);
});

/** Two forks, no environment, its own session; its command line shows the folder. */
const DAEMON = '(env -i setsid tail -f "$HOME/log" >/dev/null 2>&1 &)';

function daemons(): number[] {
  return processesOf(folder)
    .filter(({ command }) => command.startsWith('tail -f'))
    .map(({ pid }) => pid);
}

async function openWithDaemon(level: ContainmentLevel, then: string): Promise<Window> {
  containment = workerContainment(level);
  const window = await open('sh', '-c', `${DAEMON}; ${then}`);
  await until(() => daemons().length === 1);
  return window;
}

describe.runIf(here.includes('cgroup'))('a daemon that nothing but a cgroup holds', () => {
  test('is ended with its window, and the cgroup is gone', async () => {
    const window = await openWithDaemon('cgroup', 'exec cat');
    expect(existsSync(window.leaf ?? '')).toBe(true);
    await killWindow(window, tmux.env);
    expect(daemons()).toEqual([]);
    expect(existsSync(window.leaf ?? '')).toBe(false);
  });

  test('is ended, too, when its command has long ended and the server with it', async () => {
    const window = await openWithDaemon('cgroup', 'while [ ! -e "$HOME/go" ]; do sleep 0.02; done');
    writeFileSync(join(folder, 'go'), '');
    await until(() => !serverIsAlive(window));
    expect(daemons()).toHaveLength(1);
    await killWindow(window, tmux.env);
    expect(daemons()).toEqual([]);
    expect(existsSync(window.leaf ?? '')).toBe(false);
  });

  test('escapes where there is none: that level is best effort', async () => {
    const window = await openWithDaemon('group', 'exec cat');
    await killWindow(window, tmux.env);
    expect(isAlive(window)).toBe(false);
    expect(daemons()).toHaveLength(1);
    for (const pid of daemons()) process.kill(pid, 'SIGKILL');
  });

  test('a command that ends and leaves nothing takes its cgroup along', async () => {
    containment = workerContainment('cgroup');
    const window = await open('true');
    await until(() => !existsSync(window.leaf ?? ''));
    expect(exitOf(join(folder, 'w'), window)).toEqual({ by: 'code', code: 0 });
  });

  test('is held also where a worker is started by an agent, whose own cgroup is threaded', async () => {
    const home = threadedHome();
    containment = { level: 'cgroup', home };
    const window = await open('sh', '-c', 'setsid sleep 61 & exec cat');
    await until(() => processesOf(folder).some(({ command }) => command === 'sleep 61'));
    const daemon = processesOf(folder).find(({ command }) => command === 'sleep 61');
    expect(readFileSync(`/proc/${daemon?.pid}/cgroup`, 'utf8')).toContain(window.nonce);
    await killWindow(window, tmux.env);
    await until(() => processesOf(folder).length === 0);
    rmdirSync(home.path);
    expect(existsSync(window.leaf ?? '')).toBe(false);
  });

  test('a cgroup that cannot be entered leaves the command to its mark', async () => {
    const home = threadedHome();
    containment = { level: 'cgroup', home };
    // Below a threaded cgroup, a new one takes no processes until it is made threaded, too.
    const nonce = randomUUID();
    mkdirSync(leafPath(home, markOf({ nonce })));
    const window = await createWindow({ ...request(['sh', '-c', 'setsid sleep 61 & exec cat']), nonce });
    await until(() => processesOf(folder).some(({ command }) => command === 'sleep 61'));
    const daemon = processesOf(folder).find(({ command }) => command === 'sleep 61');
    expect(readFileSync(`/proc/${daemon?.pid}/cgroup`, 'utf8')).not.toContain(nonce);
    expect(existsSync(window.leaf ?? '')).toBe(true);
    await killWindow(window, tmux.env);
    await until(() => processesOf(folder).length === 0);
    rmdirSync(home.path);
    expect(existsSync(window.leaf ?? '')).toBe(false);
  });
});
