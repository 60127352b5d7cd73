import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { processesOf } from '../../test/support/processes.ts';
import { thisPlace } from '../process/identity.ts';
import { type Tmux, TmuxError, tmuxAt } from './command.ts';
import { openedPane } from './pane.ts';
import { createWindow, exitOf, isAlive, killWindow, logIsWhole, type WindowRequest } from './window.ts';
import { isMade, readWindow, type Window, writeWindow } from './window-file.ts';

const place = thisPlace();
let folder: string;
let tmux: Tmux;

beforeEach(() => {
  folder = testFolder();
  const env = { PATH: process.env.PATH, HOME: folder, TMUX_TMPDIR: folder };
  tmux = tmuxAt({ socket: 'test' }, env);
  onTestFinished(async () => {
    await tmux.ask(['kill-server']);
    while (processesOf(folder).length > 0) await sleep(5);
  });
});

function open(...argv: string[]): Promise<Window> {
  return createWindow(request(argv));
}

function request(argv: readonly string[]): WindowRequest {
  const files = { folder: join(folder, 'w'), log: join(folder, 'log') };
  return { tmux, place, session: 's', worker: 'w', ...files, argv, cwd: folder, env: {} };
}

async function until(look: () => boolean): Promise<void> {
  while (!look()) await sleep(5);
}

test('a window is alive until its command ends; then its status and all of its output are on disk', async () => {
  const window = await open('sh', '-c', 'read -r line; seq 1 5000; echo "got $line"; exit 5');
  expect(isAlive(window, place)).toBe(true);
  expect(exitOf(join(folder, 'w'), window)).toBeNull();
  const pane = await openedPane(window, tmux.env, place);
  await pane.type('it');
  await pane.press('Enter');
  await until(() => !isAlive(window, place));
  await logIsWhole(join(folder, 'w'), window);
  expect(exitOf(join(folder, 'w'), window)).toEqual({ by: 'code', code: 5 });
  const log = readFileSync(join(folder, 'log'), 'utf8');
  expect(log).toContain('\r\n4999\r\n5000\r\ngot it\r\n');
  await expect(openedPane(window, tmux.env, place)).rejects.toThrow(TmuxError);
});

test('a path that tmux would expand or a shell would read is only a path', async () => {
  const log = join(folder, `it's 100% %H #{pane_id} #(true) $HOME.log`);
  const window = await createWindow({ ...request(['sh', '-c', 'echo words; exec cat']), log });
  await until(() => readFileSync(log, 'utf8').includes('words'));
  expect(isAlive(window, place)).toBe(true);
  await killWindow(window, tmux.env, place);
});

test('the window of a maker that died before it could say where is found by its nonce and ended', async () => {
  const { v, worker, nonce } = await open('cat');
  writeWindow(join(folder, 'w'), { v, worker, nonce, address: tmux.address });
  const planned = readWindow(join(folder, 'w'));
  if (planned === null || isMade(planned)) throw new Error('it is not planned');
  await killWindow(planned, tmux.env, place);
  await until(() => processesOf(folder).length === 0);
  expect(processesOf(folder)).toEqual([]);
});

test('a window with another nonce under the same id is left alone', async () => {
  const window = await open('cat');
  const impostor = { ...window, nonce: 'f'.repeat(32), pane: null };
  await killWindow(impostor, tmux.env, place, 0);
  expect(isAlive(window, place)).toBe(true);
  await expect(openedPane(impostor, tmux.env, place)).rejects.toThrow('its tmux window is gone');
  await killWindow(window, tmux.env, place);
  expect(isAlive(window, place)).toBe(false);
});

test('a status of an earlier window of the name is not the new one’s', async () => {
  const first = await open('sh', '-c', 'exit 0');
  await until(() => exitOf(join(folder, 'w'), first) !== null);
  const second = await open('cat');
  expect(exitOf(join(folder, 'w'), second)).toBeNull();
  await killWindow(second, tmux.env, place);
});

test('what tmux refuses is told in its words, and no window is left', async () => {
  await expect(createWindow({ ...request(['cat']), cwd: join(folder, 'none') })).rejects.toThrow('no such directory');
  const nowhere = tmuxAt({ socketPath: join(folder, 'x'.repeat(200)) }, tmux.env);
  await expect(createWindow({ ...request(['cat']), tmux: nowhere })).rejects.toThrow(TmuxError);
  const missing = tmuxAt({ socket: 'test' }, { PATH: folder });
  await expect(createWindow({ ...request(['cat']), tmux: missing })).rejects.toThrow('tmux is not installed');
  expect(processesOf(folder)).toEqual([]);
});
