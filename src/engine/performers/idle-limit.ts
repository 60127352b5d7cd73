/** Ends a run that prints nothing for too long. It looks at the files, not at what was read of them: who watches may be behind. */
import { statSync } from 'node:fs';
import type { Exit } from '../../core/outcome.ts';
import type { Duration } from '../../core/time.ts';

export interface IdleLimit {
  readonly signal: AbortSignal;
  /** The exit of a run that was ended so. */
  expired(): Exit | null;
  close(): void;
}

const LOOK_AT_LEAST_EVERY: Duration = 250;
const LOOK_AT_MOST_EVERY: Duration = 50;

export function idleLimit(files: readonly string[], idleMs: Duration | null): IdleLimit {
  const quiet = new AbortController();
  const expired = (): Exit | null =>
    quiet.signal.aborted && idleMs !== null ? { by: 'timeout', afterMs: idleMs } : null;
  if (idleMs === null) return { signal: quiet.signal, expired, close: nothing };

  let size = sizeOf(files);
  let grewAt = performance.now();
  const look = (): void => {
    const now = performance.now();
    const next = sizeOf(files);
    if (next !== size) {
      size = next;
      grewAt = now;
    } else if (now - grewAt >= idleMs) {
      clearInterval(timer);
      quiet.abort();
    }
  };
  const timer = setInterval(look, Math.min(LOOK_AT_LEAST_EVERY, Math.max(LOOK_AT_MOST_EVERY, idleMs / 4)));
  return { signal: quiet.signal, expired, close: () => clearInterval(timer) };
}

function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function nothing(): void {
  // No clock was started.
}
