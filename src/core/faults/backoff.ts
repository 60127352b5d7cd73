/** How long a loop pauses after a failure or a fault, and when it gives up. The figures are seed 000's. Pure. */
import type { Duration } from '../time.ts';

/** So many failures in a row, of the work or of the environment, end a loop. */
export const FAILURES_THAT_END_A_LOOP = 5;
const LONGEST_PAUSE = 300;

/** The pause before the next try: 1, 2, 4 … units, at most 300. A unit is a second unless the loop has another. */
export function backoff(inARow: number, unit: Duration = 1000): Duration {
  return Math.min(2 ** (inARow - 1), LONGEST_PAUSE) * unit;
}

const MINUTES_BETWEEN_QUESTIONS = 30;

/** A usage limit whose reset is not known is asked about after a minute, then two, four … up to half an hour. */
export function limitPause(inARow: number, unit: Duration = 1000): Duration {
  return Math.min(2 ** (inARow - 1), MINUTES_BETWEEN_QUESTIONS) * 60 * unit;
}
