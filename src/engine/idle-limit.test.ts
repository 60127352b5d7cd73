import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { idleLimit } from './idle-limit.ts';

let files: string[];

beforeEach(() => {
  const folder = testFolder();
  files = ['out', 'err'].map((name) => join(folder, name));
});

function limit(idleMs: number | undefined) {
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

test.each([0, 1])('what grows file %i puts it off', async (index) => {
  const idle = limit(400);
  for (let n = 0; n < 10; n++) {
    appendFileSync(files[index] ?? '', 'x');
    await sleep(60);
    expect(idle.expired()).toBeNull();
  }
  const grew = performance.now();
  await once(idle.signal, 'abort');
  // Counted from the last look that saw it grow, which came after the last write but one.
  expect(performance.now() - grew).toBeGreaterThan(100);
});

test('without a limit it never does, and a closed one neither', async () => {
  const none = limit(undefined);
  const closed = limit(50);
  closed.close();
  await sleep(150);
  expect([none.expired(), closed.expired(), none.signal.aborted]).toEqual([null, null, false]);
});
