/** Recognises that the clock has moved by itself: the machine slept, or the clock was set. */
import type { Duration } from '../../core/time.ts';

/** What clocks are set right by in the course of a day is not worth a word. */
const LEAST: Duration = 60_000;

/** Asked again and again, it says how far the clock has moved beyond the time that passed; undefined for next to nothing. */
export function clockJumps(
  clock: () => number = Date.now,
  // Not `performance`, for which Node would load a module.
  monotonic: () => number = () => process.uptime() * 1000,
): () => Duration | undefined {
  let before = clock() - monotonic();
  return () => {
    const now = clock() - monotonic();
    const jumpedMs = Math.round(now - before);
    if (Math.abs(jumpedMs) < LEAST) return undefined;
    before = now;
    return jumpedMs;
  };
}
