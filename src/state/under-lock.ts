/** Changes a file while no other process does: waits for the lock beside it, which a message needs for some ten microseconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import { clearStale, makeLink, pidIn, removeLink } from './lock.ts';

export interface LockOptions {
  /** How long one try waits; 10 s unless given. */
  readonly lockTimeoutMs?: Duration;
  readonly tries?: number;
  /** The pause before the second try, twice that before the third, and so on; 100 ms unless given. */
  readonly pauseMs?: Duration;
  readonly signal?: AbortSignal;
  /** What it is that is locked, for people; a message bus unless given. */
  readonly what?: string;
}

/** Between two looks at the lock: random, so that no process is always late; and longer where many wait. */
const LOOK_MS = { least: 1, growth: 2, most: 20 };

export function lockOf(path: string): string {
  return `${path}.lock`;
}

/** `act` is synchronous: the lock is not held over anything that could wait. */
export async function underLock<T>(path: string, options: LockOptions, act: () => T): Promise<T> {
  const { lockTimeoutMs = 10_000, tries = 3, pauseMs = 100, signal, what = 'message bus' } = options;
  const lock = lockOf(path);
  let held: string | null = null;
  for (let attempt = 0; attempt < tries; attempt++) {
    if (attempt > 0) await sleep(pauseMs * 2 ** (attempt - 1), undefined, { signal });
    const deadline = performance.now() + lockTimeoutMs;
    let longest = LOOK_MS.least;
    do {
      signal?.throwIfAborted();
      const seen: string | null = held;
      held = makeLink(lock);
      if (held === null) {
        try {
          return act();
        } finally {
          removeLink(lock);
        }
      }
      // Twice the same turn: it is a slow one, or it was its last.
      if (held === seen) clearStale(lock, held);
      longest = Math.min(longest + LOOK_MS.growth, LOOK_MS.most);
      await sleep(LOOK_MS.least + Math.random() * (longest - LOOK_MS.least), undefined, { signal });
    } while (performance.now() < deadline);
  }
  const pid = pidIn(held ?? '');
  const by = pid === null ? 'another process' : `process ${pid}`;
  const fact = `${what} ${path} is locked by ${by} (${tries} ${tries === 1 ? 'try' : 'tries'})`;
  const hint = `If no process writes to it, for instance because a container was killed: rm ${lock}`;
  throw new RalphError('BUS_LOCKED', fact, { hint, exitCode: 1 });
}
