import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { abortAfter, idleLimit, timeLimit } from './limits.ts';
import { keyEnvironment, markOf } from './perform.ts';

const DAY = 24 * 60 * 60 * 1000;
const never = (): AbortSignal => new AbortController().signal;

describe('a run with a time limit', () => {
  test('is ended when its time is up, and its exit says after how long', async () => {
    const limit = timeLimit(10, never());
    expect(limit.expired()).toBeNull();
    await once(limit.signal, 'abort');
    expect(limit.expired()).toEqual({ by: 'timeout', afterMs: 10 });
  });

  test('that was ended by something else has not run out of time', () => {
    const outer = new AbortController();
    const limit = timeLimit(DAY, outer.signal);
    expect(limit.signal.aborted).toBe(false);
    outer.abort();
    expect(limit.signal.aborted).toBe(true);
    expect(limit.expired()).toBeNull();
  });

  test.each([2 ** 31, 2 ** 32, 365 * DAY, Infinity])(
    'of %d ms, longer than a timer can hold, is not cut off',
    async (ms) => {
      const long = timeLimit(ms, never());
      await once(timeLimit(20, never()).signal, 'abort');
      expect(long.signal.aborted).toBe(false);
      expect(long.expired()).toBeNull();
    },
  );
});

test('a time that is longer than a timer holds is waited for by several timers', async () => {
  const began = performance.now();
  await once(abortAfter(100, 30), 'abort');
  // A timer may fire up to a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(95);
});

test('a run without a time limit is ended only by the signal', () => {
  const outer = new AbortController();
  const limit = timeLimit(null, outer.signal);
  expect(limit.signal.aborted).toBe(false);
  outer.abort();
  expect(limit.signal.aborted).toBe(true);
  expect(limit.expired()).toBeNull();
});

describe('a run that prints nothing', () => {
  const IDLE_MS = 200;
  let folder: string;

  beforeEach(() => {
    folder = testFolder();
  });

  function limit(idleMs: number | null) {
    const idle = idleLimit({ folder, stdout: 'out', stderr: 'err' }, idleMs, never());
    onTestFinished(idle.close);
    return idle;
  }

  test('is ended, even if its output files never appeared', async () => {
    const idle = limit(100);
    expect(idle.expired()).toBeNull();
    await once(idle.signal, 'abort');
    expect(idle.expired()).toEqual({ by: 'timeout', afterMs: 100 });
  });

  test.each(['out', 'err'])('output to "%s" extends the time, which counts from the last output', async (name) => {
    const idle = limit(IDLE_MS);
    let endedAt = Number.POSITIVE_INFINITY;
    idle.signal.addEventListener('abort', () => {
      endedAt = performance.now();
    });
    const began = performance.now();
    let lastWrite = began;
    // Longer than the limit, unless this machine stood still for so long that the limit was right to fire.
    while (lastWrite - began < 2 * IDLE_MS && !idle.signal.aborted) {
      lastWrite = performance.now();
      appendFileSync(join(folder, name), 'x');
      await sleep(IDLE_MS / 8);
    }
    if (!idle.signal.aborted) await once(idle.signal, 'abort');
    expect(endedAt - lastWrite).toBeGreaterThanOrEqual(IDLE_MS);
  });

  test('is not ended without a limit, nor after the limit was closed', async () => {
    const none = limit(null);
    const closed = limit(50);
    closed.close();
    // Started later, and with more time to go.
    await once(limit(100).signal, 'abort');
    expect([none.expired(), closed.expired(), none.signal.aborted]).toEqual([null, null, false]);
  });
});

test('a program finds in its environment which attempt of which run of which loop it is', () => {
  expect(keyEnvironment('loop-1', '3/work/1', 2)).toEqual({
    RALPH_LOOP: 'loop-1',
    RALPH_KEY: '3/work/1',
    RALPH_ATTEMPT: '2',
  });
});

test('every attempt of every run has its own mark', () => {
  const marks = ['loop-1', 'loop-11'].flatMap((loop) =>
    ['1/work/1', '1/work/11', '11/work/1'].flatMap((key) => [1, 11].map((attempt) => markOf(loop, key, attempt))),
  );
  expect(new Set(marks).size).toBe(12);
});
