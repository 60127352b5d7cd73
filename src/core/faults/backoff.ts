/** How long a loop pauses after a failure or a fault, and when it gives up. The figures come from seed 000. Pure. */
import type { Duration } from '../time.ts';

/** This many failures in a row, of the work or of the environment, end a loop. */
export const FAILURES_THAT_END_A_LOOP = 5;
const LONGEST_PAUSE = 300;

/** The pause before the next try: 1, 2, 4 … units, at most 300. A unit is one second by default. */
export function backoff(inARow: number, unit: Duration = 1000): Duration {
  return Math.min(2 ** (inARow - 1), LONGEST_PAUSE) * unit;
}

const MINUTES_BETWEEN_QUESTIONS = 30;

/** The pause for a usage limit whose reset is unknown: one minute, then two, four … up to half an hour. */
export function limitPause(inARow: number, unit: Duration = 1000): Duration {
  return Math.min(2 ** (inARow - 1), MINUTES_BETWEEN_QUESTIONS) * 60 * unit;
}
