import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { makeTask, TASKS } from '../../../../test/support/task-folder.ts';
import { thisMachine } from '../../../process/identity/identity.ts';
import { tryLock } from '../../../state/lock.ts';
import { workTreeLock } from '../../../state/work-tree-lock.ts';
import { isLooping } from './loop-liveness.ts';

test('a task is looping while somebody holds its lock, by whichever name it is reached, here or elsewhere', () => {
  const state = { path: testFolder() };
  const home = testFolder();
  const folder = makeTask(join(home, 'root'), TASKS[0]);
  symlinkSync(join(home, 'root'), join(home, 'link'));
  const byLink = folder.replace(join(home, 'root'), join(home, 'link'));
  expect([isLooping(folder, state), isLooping(byLink, state)]).toEqual([false, false]);
  // Whoever took the lock to look would keep a loop from it that begins in that moment.
  expect(readdirSync(state.path)).toEqual([]);

  const place = thisMachine();
  const attempt = tryLock(workTreeLock(state, folder), 'a test', place);
  expect([isLooping(folder, state), isLooping(byLink, state)]).toEqual([true, true]);
  if (attempt.got) attempt.lock.release();
  expect(isLooping(folder, state)).toBe(false);

  tryLock(workTreeLock(state, folder), 'a test', { ...place, machine: 'another' });
  expect(isLooping(folder, state)).toBe(true);
});
