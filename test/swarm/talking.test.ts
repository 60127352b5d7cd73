/** `swarm send`, `interrupt`, `eof`, `attach`: what reaches the pane, and what is refused. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/scene.ts';
import { makeScene, refusal, type Scene, said } from './scene.ts';

const SHOW_KEYS = 'stty raw -echo; echo ready; exec od -An -v -tx1 -w1';

async function withKeys(): Promise<Scene> {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', SHOW_KEYS);
  await scene.printed('w', 'ready');
  return scene;
}

/** The bytes that the program in the pane has read. */
function keys(scene: Scene): string {
  return Buffer.from(
    scene
      .read('home/logs/w.tmux.log')
      .match(/\b[0-9a-f]{2}\b/g)
      ?.join('') ?? '',
    'hex',
  ).toString();
}

test('send clears the input line, types the text as it is, and presses Enter', async () => {
  const scene = await withKeys();
  const text = 'Enter C-c "$HOME" $(x) — ünïcode;';
  expect(await scene.swarm('send', 'w', text)).toEqual(said('sent to w\n'));
  await scene.until(() => keys(scene) === `\x1b\x15${text}\r`);
});

test('send --raw --no-enter types only the text, even if it looks like a flag', async () => {
  const scene = await withKeys();
  expect(await scene.swarm('send', '--raw', '--no-enter', 'w', '--', '--x')).toEqual(said('sent to w\n'));
  await scene.until(() => keys(scene) === '--x');
  expect(await scene.swarm('send', 'w', '', '--raw')).toEqual(said('sent to w\n'));
  await scene.until(() => keys(scene) === '--x\r');
});

test('a text that is too long for tmux at once arrives whole', async () => {
  const scene = await withKeys();
  const text = Array.from({ length: 4000 }, (_, index) => `line ${index};`).join(' ');
  expect(await scene.swarm('send', 'w', text, '--raw', '--no-enter')).toEqual(said('sent to w\n'));
  await scene.until(() => keys(scene).length >= text.length);
  expect(keys(scene)).toBe(text);
});

test('send --all reaches every running window, and skips the rest', async () => {
  const scene = makeScene();
  for (const name of ['a', 'b', 'c']) await scene.swarm('spawn', '--name', name, '--tmux', '--', 'cat');
  await scene.swarm('spawn', '--name', 'p', '--', 'sleep', '60');
  await scene.swarm('kill', 'b');
  expect(await scene.swarm('send', '--all', 'hello')).toEqual(said('sent to a\nsent to c\n'));
  await scene.printed('a', 'hello');
  await scene.printed('c', 'hello');
});

test('interrupt presses Ctrl-C: the program ends as if a person had, and its exit status is recorded', async () => {
  const scene = makeScene();
  for (const name of ['a', 'b', 'c']) {
    await scene.swarm('spawn', '--name', name, '--tmux', '--', 'sh', '-c', 'echo begin; exec sleep 60');
    await scene.printed(name, 'begin');
  }
  expect(await scene.swarm('interrupt', 'a')).toEqual(said('interrupted a\n'));
  expect(await scene.swarm('wait', 'a')).toEqual(said('a: exited\n'));
  const { nonce } = JSON.parse(scene.read('home/workers/a/window/window.json'));
  expect(scene.read(`home/workers/a/window/${nonce}.exit`)).toBe('130\n');
  expect(await scene.swarm('interrupt', '--all')).toEqual(said('interrupted b\ninterrupted c\n'));
  await scene.swarm('wait', '--all');
  expect(await scene.swarm('interrupt', '--all')).toEqual(said(''));
});

test('eof presses Ctrl-D', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
  expect(await scene.swarm('eof', 'w')).toEqual(said('sent eof to w\n'));
  expect(await scene.swarm('wait', 'w')).toEqual(said('w: exited\n'));
});

test.each([
  ['send', ['text']],
  ['interrupt', []],
  ['eof', []],
  ['attach', []],
])('%s refuses workers that it cannot reach', async (command, rest) => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'p', '--', 'sleep', '60');
  await scene.swarm('spawn', '--name', 't', '--tmux', '--', 'cat');
  await scene.swarm('spawn', '--name', 'stays', '--tmux', '--', 'cat');
  await scene.swarm('kill', 't');
  expect(await scene.swarm(command, 'missing', ...rest)).toEqual(refusal("worker 'missing' not found"));
  expect(await scene.swarm(command, 'p', ...rest)).toEqual(refusal("worker 'p' is not a tmux worker"));
  expect(await scene.swarm(command, 't', ...rest)).toEqual(refusal("worker 't' is not running"));
});

test('send and interrupt need a name', async () => {
  const scene = makeScene();
  expect(await scene.swarm('send', 'text')).toEqual(refusal('--name required when not using --all'));
  expect(await scene.swarm('interrupt')).toEqual(refusal('worker name required when not using --all'));
  expect((await scene.swarm('send')).code).toBe(2);
  expect((await scene.swarm('send', 'w', 'not', 'quoted')).code).toBe(2);
  expect((await scene.swarm('eof')).code).toBe(2);
});

test('attach shows the worker, from a terminal and from within tmux', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'other', '--tmux', '--', 'sh', '-c', 'echo other window; exec cat');
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'echo this window; exec cat');
  const swarm = `'${process.execPath}' '${join(ROOT, 'bin/swarm.cjs')}'`;
  // The terminal is a pane of another server.
  scene.tmux('-L', 'terminal', 'new-session', '-d', '-x', '100', '-y', '30', `env -u TMUX ${swarm} attach w`);
  const screen = (): string => scene.tmux('-L', 'terminal', 'capture-pane', '-p');
  await scene.until(() => screen().includes('this window'));
  // From within the worker's own server, the client is switched.
  await scene.swarm(
    'spawn',
    '--name',
    'third',
    '--session',
    'another',
    '--tmux',
    '--',
    'sh',
    '-c',
    'echo third; exec cat',
  );
  scene.tmux('switch-client', '-c', scene.tmux('list-clients', '-F', '#{client_name}').trim(), '-t', 'another');
  await scene.until(() => screen().includes('third'));
  scene.tmux('set-option', '-g', 'status', 'off');
  const window = scene.tmux(
    'new-window',
    '-P',
    '-F',
    '#{window_id}',
    '-t',
    'another:',
    `${swarm} attach other; read -r _`,
  );
  await scene.until(() => screen().includes('other window'));
  expect(scene.tmux('list-clients', '-F', '#{session_name}')).toBe('swarm\n');
  scene.tmux('-L', 'terminal', 'kill-server');
  scene.tmux('kill-window', '-t', window.trim());
});
