/** The first ten minutes in a terminal: in each size in nightly tests, otherwise in one of them. */
import { expect, test } from 'vitest';
import { playFirstMinutes } from '../../support/run/first-minutes.ts';
import { sweep } from '../../support/sweep.ts';

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 100, rows: 30 },
];

test.each(sweep(SIZES, 1))(
  'from a clone to the demo, a loop, the list, a kill and a resume, at $columns×$rows',
  {
    timeout: 180_000,
  },
  async (size) => {
    expect(await playFirstMinutes(size)).toMatch(/^✓ \w{4} {2}run {3}\. {6}done +2\/10 /m);
  },
);
