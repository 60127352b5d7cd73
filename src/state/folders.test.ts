import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { removeFolder } from './folders.ts';

test('a folder is removed although a process goes on making files in it', async () => {
  const folder = join(testFolder(), 'busy');
  const inner = join(folder, 'inner');
  mkdirSync(inner, { recursive: true });
  // It does not recreate the folder, so it exits once that is gone for good.
  const busy = spawn('sh', ['-c', 'i=0; while echo >"$0/file-$i"; do i=$((i+1)); done', inner], { stdio: 'ignore' });
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
