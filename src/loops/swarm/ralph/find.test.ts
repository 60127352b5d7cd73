import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { tryLock } from '../../../state/lock.ts';
import { loopLock } from '../../../state/paths.ts';
import { isSupervised } from './find.ts';

test('looking for a supervisor takes no lock, so that one that starts at that moment is not refused', () => {
  const folder = testFolder();
  expect(isSupervised({ folder })).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  const supervisor = tryLock(loopLock(folder), 'a loop');
  expect(supervisor.got).toBe(true);
  const before = readdirSync(loopLock(folder));
  expect(isSupervised({ folder })).toBe(true);
  expect(readdirSync(loopLock(folder))).toEqual(before);
  if (supervisor.got) supervisor.lock.release();
});
