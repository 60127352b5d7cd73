import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf } from '../../../../test/support/error-of.ts';
import { testFolder } from '../../../../test/support/folder.ts';
import { makeFolder, makeRunFolder } from './task-folder.ts';

test('a run folder is named by its time, its creator, and a number that is free', () => {
  const task = testFolder();
  const now = new Date(Date.UTC(2026, 1, 20, 15, 30, 45, 7));
  const ids = [1, 2].map(() => makeRunFolder(task, now));
  expect(ids.map(({ runId }) => runId)).toEqual([1, 2].map((seq) => `20260220-1530450070-${process.pid}-${seq}`));
  for (const { runId, folder } of ids) {
    expect(folder).toBe(join(task, 'runs', runId));
    expect(statSync(folder).isDirectory()).toBe(true);
  }
});

test('a run folder that cannot be created is reported with its path and what to do', () => {
  const task = testFolder();
  writeFileSync(join(task, 'runs'), '');
  for (const act of [() => makeRunFolder(task, new Date()), () => makeFolder(join(task, 'runs/x'))]) {
    const { message, advice } = errorOf(act);
    expect(message).toContain(`cannot make ${task}/runs`);
    expect(advice).toMatchObject({ hint: expect.stringContaining('--root'), exitCode: 2 });
  }
});
