/** A clock for limits: it stands still while the machine sleeps or this process is suspended. */
import type { Duration } from '../../core/time.ts';

/**
 * At most `mostMs` pass between two looks at it. Some systems count the time asleep (macOS), others do not (Linux); an
 * agent that slept as well has not hung.
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

/** For a clock that is read at this interval: on a machine under load, some reads are late. */
export const mostBetween = (looks: Duration): Duration => Math.max(3 * looks, 1000);
