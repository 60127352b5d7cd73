import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { filesOf } from '../../../test/support/programs/launching.ts';
import { readExitFile, withExitFile } from './exit-wrapper.ts';

let folder: string;

beforeEach(() => {
  folder = testFolder();
});

function start(...argv: readonly string[]): ChildProcess {
  const [command, ...args] = withExitFile(argv, join(folder, 'exit'));
  const child = spawn(command, args, { cwd: folder, stdio: 'ignore', detached: true });
  onTestFinished(() => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (isRunning && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  return child;
}

test.each([
  ['exit 0', 0],
  ['exit 3', 3],
  ['kill -TERM $$', 143],
  ['kill -KILL $$', 137],
])('the status of `%s` is in the file when the front has ended', async (lines, code) => {
  await once(start('sh', '-c', lines), 'exit');
  expect(readExitFile(join(folder, 'exit'))).toEqual({ by: 'code', code });
  expect(readdirSync(folder)).toEqual(['exit']);
});

test('a program that is not there has the status that a shell gives it', async () => {
  await once(start('/not/there'), 'exit');
  expect(readExitFile(join(folder, 'exit'))).toEqual({ by: 'code', code: 127 });
});

test('a signal to the whole group, as from a terminal, ends the program and not the front', async () => {
  const child = start('sh', '-c', 'echo >ready; exec sleep 60');
  await filesOf(folder).made('ready');
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await once(child, 'exit');
  expect(readExitFile(join(folder, 'exit'))).toEqual({ by: 'code', code: 130 });
});

test('while the program runs there is no status', async () => {
  start('sh', '-c', 'echo >ready; sleep 60');
  await filesOf(folder).made('ready');
  expect(readExitFile(join(folder, 'exit'))).toBeNull();
});

test('a program that was ended together with its front has none', async () => {
  const child = start('sh', '-c', 'echo >ready; sleep 60');
  await filesOf(folder).made('ready');
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await once(child, 'exit');
  expect(readExitFile(join(folder, 'exit'))).toBeNull();
});

test('the program gets its arguments as they are', async () => {
  const words = ['a b', '$HOME', "it's", '', '-c', '"$@"'];
  await once(start('sh', '-c', 'printf "%s\\n" "$@" >words', 'sh', ...words), 'exit');
  expect(filesOf(folder).text('words')).toBe(words.map((word) => `${word}\n`).join(''));
});
