import { mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { lastSignOfLife, signsOfLife } from './sign-of-life.ts';

test('the time is noted again and again, until it is stopped', async () => {
  const folder = testFolder();
  const changed = new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (lastSignOfLife(folder) !== undefined) resolve(watcher.close());
    });
  });
  const before = Date.now();
  const stop = signsOfLife(folder, 1);
  onTestFinished(stop);
  await changed;
  expect(lastSignOfLife(folder)).toBeGreaterThanOrEqual(before);
  expect(readFileSync(join(folder, 'alive'), 'utf8')).toMatch(/^\d+\n$/);
});

test.each(['', 'soon\n', '-5\n', '1e9\n', 'Infinity\n', `${'9'.repeat(20)}\n`])('%j is no sign', (text) => {
  const folder = testFolder();
  writeFileSync(join(folder, 'alive'), text);
  expect(lastSignOfLife(folder)).toBeUndefined();
});

test('a folder in its place is none, and stops nothing', () => {
  const folder = testFolder();
  expect(lastSignOfLife(folder)).toBeUndefined();
  mkdirSync(join(folder, 'alive'));
  expect(lastSignOfLife(folder)).toBeUndefined();
  rmSync(join(folder, 'alive'), { recursive: true });
});
