import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type Lock, tryLock } from './lock.ts';
import { lockWhenFree } from './under-lock.ts';
import { looks, waitForLock } from './wait-for-lock.ts';

let folder: string;
let held: Lock;

beforeEach(() => {
  folder = join(testFolder(), 'lock');
  const attempt = tryLock(folder, 'first');
  if (!attempt.got) throw new Error('it is held');
  held = attempt.lock;
});

const WAYS = [
  ['standing still', waitForLock],
  ['beside other work', lockWhenFree],
] as const;

describe.each(WAYS)('who waits %s', (_how, wait) => {
  test('gets the lock once it is free', async () => {
    let looked = 0;
    const whileHeld = (): void => {
      if (++looked === 3) held.release();
    };
    const attempt = await wait(folder, 'second', { patience: 60_000, whileHeld });
    expect(attempt.got).toBe(true);
    expect(looked).toBe(3);
  });

  test('too long is refused, and told who is in the way', async () => {
    const attempt = await wait(folder, 'second', { patience: 0 });
    expect(attempt).toMatchObject({ got: false, foreign: false, holder: { purpose: 'first', pid: process.pid } });
  });
});

describe('between two looks', () => {
  const next = (turns: Generator<number, unknown, void>): number | undefined => {
    const turn = turns.next();
    return turn.done === true ? undefined : turn.value;
  };

  test('there is a pause, which grows, up to 20 ms, and differs', () => {
    const turns = looks(() => ({ got: false }), { patience: 60_000 });
    const pauses = Array.from({ length: 100 }, () => next(turns) ?? 0);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1);
    expect(pauses[0]).toBeLessThanOrEqual(3);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(20);
    expect(new Set(pauses).size).toBeGreaterThan(50);
  });

  test('a holder that cannot be seen is waited for, unless its caller refuses that', () => {
    const look = () => ({ got: false, foreign: true });
    expect(next(looks(look, { patience: 60_000 }))).toBeGreaterThan(0);
    expect(next(looks(look, { patience: 60_000, refusesForeign: true }))).toBeUndefined();
  });
});
