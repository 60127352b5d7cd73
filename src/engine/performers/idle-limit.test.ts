import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { idleLimit } from './idle-limit.ts';

const IDLE_MS = 200;
let files: string[];

beforeEach(() => {
  const folder = testFolder();
  files = ['out', 'err'].map((name) => join(folder, name));
});

function limit(idleMs: number | null) {
  const idle = idleLimit(files, idleMs);
  onTestFinished(idle.close);
  return idle;
}

test('fires when nothing is printed, also where the files never came', async () => {
  const idle = limit(100);
  expect(idle.expired()).toBeNull();
  await once(idle.signal, 'abort');
  expect(idle.expired()).toEqual({ by: 'timeout', afterMs: 100 });
});

test.each([0, 1])('what grows file %i puts it off: it is counted from what was printed last', async (index) => {
  const idle = limit(IDLE_MS);
  let endedAt = Number.POSITIVE_INFINITY;
  idle.signal.addEventListener('abort', () => {
    endedAt = performance.now();
  });
  const began = performance.now();
  let lastWrite = began;
  // For longer than the limit, unless this machine stood still for so long that it was right to fire.
  while (lastWrite - began < 2 * IDLE_MS && !idle.signal.aborted) {
    lastWrite = performance.now();
    appendFileSync(files[index] ?? '', 'x');
    await sleep(IDLE_MS / 8);
  }
  if (!idle.signal.aborted) await once(idle.signal, 'abort');
  expect(endedAt - lastWrite).toBeGreaterThanOrEqual(IDLE_MS);
});

test('without a limit it never does, and a closed one neither', async () => {
  const none = limit(null);
  const closed = limit(50);
  closed.close();
  // It was begun later and has longer to go.
  await once(limit(100).signal, 'abort');
  expect([none.expired(), closed.expired(), none.signal.aborted]).toEqual([null, null, false]);
});
