import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { removeFolder, sizeOfFolder } from './folders.ts';

test('a folder is removed although a process goes on making files in it', async () => {
  const folder = join(testFolder(), 'busy');
  const inner = join(folder, 'inner');
  mkdirSync(inner, { recursive: true });
  // It does not recreate the folder, so it exits once that is gone for good.
  // On tmpfs, a listing may not end before the process does, so the number of files is limited.
  const program = 'i=0; while [ $i -lt 20000 ] && echo >"$0/file-$i"; do i=$((i+1)); done';
  const busy = spawn('sh', ['-c', program, inner], { stdio: 'ignore' });
  onTestFinished(() => void busy.kill('SIGKILL'));
  const exited = once(busy, 'exit');
  while (!existsSync(join(inner, 'file-200'))) await sleep(1);
  removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
  await exited;
});

test('one that is not there is no problem', () => {
  expect(() => removeFolder(join(testFolder(), 'nothing'))).not.toThrow();
});

/** The longest path that the system takes. */
const LONGEST_PATH = process.platform === 'darwin' ? 1024 : 4096;

test('an entry that cannot be read does not hide the size of the others', () => {
  const top = testFolder();
  const depth = Math.floor((LONGEST_PATH - 50 - top.length) / 100);
  const inner = join(top, ...Array.from({ length: depth }, () => 'x'.repeat(99)));
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, 'short'), 'x'.repeat(1000));
  // Its path is too long for this process.
  const inFolder = (command: string) => spawnSync('sh', ['-c', command, 'y'.repeat(250)], { cwd: inner }).status;
  expect(inFolder('echo >"$0"')).toBe(0);
  onTestFinished(() => void inFolder('rm "$0"'));
  expect(sizeOfFolder(top)).toBe(1000);
});

test('a folder that is not there has no size', () => {
  expect(sizeOfFolder(join(testFolder(), 'nothing'))).toBe(0);
});
