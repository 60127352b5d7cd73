/** Detects jumps of the clock: the machine slept, or the clock was set. */
import type { Duration } from '../../core/time.ts';

/** Anything smaller is a routine correction of the clock and not worth reporting. */
const LEAST: Duration = 60_000;

/** Each call of the result gives how far the clock moved beyond the time that passed; undefined for small jumps. */
export function clockJumps(
  clock: () => number = Date.now,
  // Not `performance`: Node would have to load a module for it.
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
