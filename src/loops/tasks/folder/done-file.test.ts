import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf } from '../../../../test/support/error-of.ts';
import { testFolder } from '../../../../test/support/folder.ts';
import { isDone } from './done-file.ts';

test('its presence is enough, whatever it holds and whoever may read it', () => {
  const folder = testFolder();
  expect(isDone(folder)).toBe(false);
  writeFileSync(join(folder, 'DONE'), '');
  chmodSync(join(folder, 'DONE'), 0);
  expect(isDone(folder)).toBe(true);
});

test('a link that leads nowhere is none', () => {
  const folder = testFolder();
  symlinkSync('nowhere', join(folder, 'DONE'));
  expect(isDone(folder)).toBe(false);
});

test('a directory is an error that says what to do', () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'DONE'));
  const { message, advice } = errorOf(() => isDone(folder));
  expect(message).toBe('DONE is a directory');
  expect(advice).toMatchObject({ hint: expect.stringContaining(join(folder, 'DONE')), exitCode: 2 });
});

test('a folder that cannot be looked into is an error, not a no', () => {
  const file = join(testFolder(), 'file');
  writeFileSync(file, '');
  expect(errorOf(() => isDone(file)).message).toMatch(/^stat DONE: .*: part of this path is a file, not a directory/);
});
