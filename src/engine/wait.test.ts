import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { waitFor } from './wait.ts';

const HOUR = 3_600_000;
const NEVER = new AbortController().signal;

test('a wait ends by the clock, even after a sleep during which timers stood still', async () => {
  let asleep = 0;
  const now = () => Date.now() + asleep;
  const loop = testFolder();
  const waiting = waitFor(
    { until: now() + 2 * HOUR, consumed: null },
    { loop, signal: NEVER, clock: { now, everyMs: 5 } },
  );
  asleep = 3 * HOUR;
  expect(await waiting).toEqual({ kind: 'waited' });
});

test('a clock that is set back makes a wait longer', async () => {
  let ahead = 0;
  let looks = 0;
  const until = Date.now() + 30;
  const now = () => {
    looks++;
    // Two hours back at the second look, and right again later.
    ahead = looks === 2 ? -2 * HOUR : looks > 40 ? 0 : ahead;
    return Date.now() + ahead;
  };
  const clock = { now, everyMs: 5 };
  expect(await waitFor({ until, consumed: null }, { loop: testFolder(), signal: NEVER, clock })).toEqual({
    kind: 'waited',
  });
  expect(looks).toBeGreaterThan(40);
});
