import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { keyEnvironment, markOf, timeLimit } from './local.ts';

const DAY = 24 * 60 * 60 * 1000;
const never = (): AbortSignal => new AbortController().signal;

describe('a run with a time limit', () => {
  test('is ended when its time is up, and its exit says after how long', async () => {
    const limit = timeLimit(10, never());
    expect(limit.expired()).toBeNull();
    await once(limit.signal, 'abort');
    expect(limit.expired()).toEqual({ by: 'timeout', afterMs: 10 });
  });

  test('that is ended by somebody else did not run out of time', () => {
    const outer = new AbortController();
    const limit = timeLimit(DAY, outer.signal);
    expect(limit.signal.aborted).toBe(false);
    outer.abort();
    expect(limit.signal.aborted).toBe(true);
    expect(limit.expired()).toBeNull();
  });

  test.each([2 ** 31, 2 ** 32, 365 * DAY, Infinity])(
    'of %d ms, longer than a timer holds, is not cut off',
    async (ms) => {
      const long = timeLimit(ms, never());
      await once(timeLimit(20, never()).signal, 'abort');
      expect(long.signal.aborted).toBe(false);
      expect(long.expired()).toBeNull();
    },
  );
});

test('a run without a time limit ends by the signal alone', () => {
  const outer = new AbortController();
  const limit = timeLimit(null, outer.signal);
  expect(limit.signal.aborted).toBe(false);
  outer.abort();
  expect(limit.signal.aborted).toBe(true);
  expect(limit.expired()).toBeNull();
});

test('a program is told which attempt of which run of which loop it is', () => {
  expect(keyEnvironment('loop-1', '3/work/1', 2)).toEqual({
    RALPH_LOOP: 'loop-1',
    RALPH_KEY: '3/work/1',
    RALPH_ATTEMPT: '2',
  });
});

test('every attempt of every run has a mark of its own', () => {
  const marks = ['loop-1', 'loop-11'].flatMap((loop) =>
    ['1/work/1', '1/work/11', '11/work/1'].flatMap((key) => [1, 11].map((attempt) => markOf(loop, key, attempt))),
  );
  expect(new Set(marks).size).toBe(12);
});
