/** What follows from failures in a row, of the work or of its surroundings: a pause that doubles, and in the end no more. */
import type { Duration } from './time.ts';

/** So many failures in a row end a loop. */
export const FAILURES_THAT_END_A_LOOP = 5;
const LONGEST = 300;

/** The pause before the next try. `unit` is a second; tests shorten it. */
export function afterSetback(inARow: number, unit: Duration): Duration | 'give-up' {
  return inARow >= FAILURES_THAT_END_A_LOOP ? 'give-up' : backoff(inARow, unit);
}

/** 1 s, 2 s, 4 s …, as seed 000 says at most 300 s; a loop that ends after five failures comes to 8 s. */
export function backoff(inARow: number, unit: Duration = 1000): Duration {
  return Math.min(2 ** (inARow - 1), LONGEST) * unit;
}
