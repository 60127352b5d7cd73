/** A clock for limits: it stands still while the machine sleeps, or while this process is not let run. */
import type { Duration } from '../../core/time.ts';

/**
 * Between two looks at it no more than `mostMs` pass. Some systems count the time asleep
 * (macOS), others do not (Linux); an agent that slept as well has not hung.
 */
export function awakeClock(mostMs: Duration, now: () => Duration = () => process.uptime() * 1000): () => Duration {
  let last = now();
  let passed = 0;
  return () => {
    const next = now();
    passed += Math.min(Math.max(0, next - last), mostMs);
    last = next;
    return passed;
  };
}

/** For a clock that is looked at so often: a machine under load is late now and then. */
export const mostBetween = (looks: Duration): Duration => Math.max(3 * looks, 1000);
