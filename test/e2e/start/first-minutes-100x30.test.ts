/** The first ten minutes in a terminal of 100 columns and 30 rows; other sizes have files of their own, to run beside it. */
import { expect, test } from 'vitest';
import { playFirstMinutes } from '../../support/run/first-minutes.ts';

test('from a clone to the demo, a loop, the list, a kill and a resume, at 100×30', { timeout: 180_000 }, async () => {
  expect(await playFirstMinutes({ columns: 100, rows: 30 })).toMatch(/^✓ \w{4} {2}run {3}\. {6}done +2\/10 /m);
});
