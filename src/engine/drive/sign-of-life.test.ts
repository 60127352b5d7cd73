import { mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { signOfLifeAfter, signsOfLife } from './sign-of-life.ts';

test('the time is written again and again, until it is stopped', async () => {
  const folder = testFolder();
  const changed = new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (signOfLifeAfter(0, folder) !== undefined) resolve(watcher.close());
    });
  });
  const before = Date.now();
  const stop = signsOfLife(folder, 1);
  onTestFinished(stop);
  await changed;
  expect(signOfLifeAfter(0, folder)).toBeGreaterThanOrEqual(before);
  expect(readFileSync(join(folder, 'alive'), 'utf8')).toMatch(/^\d+\n$/);
});

test.each(['', 'soon\n', '-5\n', '1e9\n', 'Infinity\n', `${'9'.repeat(20)}\n`])('%j is no sign of life', (text) => {
  const folder = testFolder();
  writeFileSync(join(folder, 'alive'), text);
  expect(signOfLifeAfter(0, folder)).toBeUndefined();
});

test('a folder in its place is none, and stops nothing', () => {
  const folder = testFolder();
  expect(signOfLifeAfter(0, folder)).toBeUndefined();
  mkdirSync(join(folder, 'alive'));
  expect(signOfLifeAfter(0, folder)).toBeUndefined();
  rmSync(join(folder, 'alive'), { recursive: true });
});

test('a sign of life from before the last record is none', () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'alive'), '5000\n');
  expect([4999, 5000].map((at) => signOfLifeAfter(at, folder))).toEqual([5000, undefined]);
});
