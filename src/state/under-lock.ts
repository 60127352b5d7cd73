/** Works under a lock, without blocking the process while it waits for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import { clearStale, type LockAttempt, makeLink, pidIn, removeLink, tryLock } from './lock.ts';
import { looks, type Waiting } from './wait-for-lock.ts';

export interface LockOptions {
  /** How long one try waits; 10 s by default. */
  readonly lockTimeoutMs?: Duration;
  readonly tries?: number;
  /** The pause before the second try, twice that before the third, and so on; 100 ms by default. */
  readonly pauseMs?: Duration;
  readonly signal?: AbortSignal;
  /** What is locked, for people; a message bus by default. */
  readonly what?: string;
}

export const lockOf = (path: string) => `${path}.lock`;

/** The same lock as `waitForLock`, without blocking. */
export function lockWhenFree(folder: string, purpose: string, waiting: Waiting): Promise<LockAttempt> {
  return slept(looks(() => tryLock(folder, purpose), waiting));
}

/**
 * Changes a file under the lock beside it, which takes a message some ten microseconds. `act` is synchronous, so the
 * lock is never held while something waits.
 */
export async function underLock<T>(path: string, options: LockOptions, act: () => T): Promise<T> {
  const { lockTimeoutMs = 10_000, tries = 3, pauseMs = 100, signal, what = 'message bus' } = options;
  const lock = lockOf(path);
  let held: string | null = null;
  const look = (): { readonly got: boolean } => {
    signal?.throwIfAborted();
    const seen = held;
    held = makeLink(lock);
    // The same turn twice: its holder is slow, or dead.
    if (held !== null && held === seen) clearStale(lock, held);
    return { got: held === null };
  };
  for (let attempt = 0; attempt < tries; attempt++) {
    if (attempt > 0) await sleep(pauseMs * 2 ** (attempt - 1), undefined, { signal });
    const { got } = await slept(looks(look, { patience: lockTimeoutMs }), signal);
    if (!got) continue;
    try {
      return act();
    } finally {
      removeLink(lock);
    }
  }
  const pid = pidIn(held ?? '');
  const by = pid === null ? 'another process' : `process ${pid}`;
  const fact = `${what} ${path} is locked by ${by} (${tries} ${tries === 1 ? 'try' : 'tries'})`;
  const hint = `If no process writes to it, for instance because a container was killed: rm ${lock}`;
  throw new RalphError('BUS_LOCKED', fact, { hint, exitCode: 1 });
}

async function slept<Attempt>(turns: Generator<Duration, Attempt, void>, signal?: AbortSignal): Promise<Attempt> {
  for (;;) {
    const turn = turns.next();
    if (turn.done === true) return turn.value;
    await sleep(turn.value, undefined, { signal });
  }
}
