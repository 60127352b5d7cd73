/** The pause after the n-th failure in a row: 1 s, 2 s, 4 s … at most five minutes. */
import type { Duration } from './time.ts';

const LONGEST_SECONDS = 300;

/** `unit` is a second; tests shorten it. */
export function backoff(failuresInARow: number, unit: Duration = 1000): Duration {
  return Math.min(2 ** (failuresInARow - 1), LONGEST_SECONDS) * unit;
}

/** So many failures in a row end a loop. */
export const FAILURES_THAT_END_A_LOOP = 5;
