import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { removeEntry } from './held-folder.ts';

test.each<[string, (path: string, elsewhere: string) => void]>([
  ['a file', (path) => writeFileSync(path, '')],
  ['a link to a folder', (path, elsewhere) => symlinkSync(elsewhere, path)],
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ['an empty folder', (path) => mkdirSync(path)],
  ['nothing', () => undefined],
])('%s is gone, and nothing else', (_what, make) => {
  const folder = testFolder();
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'precious'), '');
  make(join(folder, 'entry'), elsewhere);
  removeEntry(join(folder, 'entry'));
  expect(readdirSync(folder)).toEqual(['elsewhere']);
  expect(readdirSync(elsewhere)).toEqual(['precious']);
});

test('a folder that holds something is moved aside, with all that it holds', () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'entry/inner'), { recursive: true });
  removeEntry(join(folder, 'entry'));
  const [aside = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(aside).toMatch(/^\.entry\..+\.put-aside$/);
  expect(readdirSync(join(folder, aside))).toEqual(['inner']);
});
