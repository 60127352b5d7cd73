/** Does something to a bus, or to another file, while nobody else does: waits for the lock, in tries with growing pauses between them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import { clearStale, grab, type Held, identifySelf, lockOf, type Self, unlock } from './lock.ts';

export interface LockOptions {
  /** How long one try waits; 10 s unless given. */
  readonly lockTimeoutMs?: Duration;
  readonly tries?: number;
  /** The pause before the second try, twice that before the third, and so on; 100 ms unless given. */
  readonly pauseMs?: Duration;
  readonly signal?: AbortSignal;
  /** Who we are; whoever writes often finds it out once. */
  readonly self?: Self;
  /** What it is that is locked, for people; a message bus unless given. */
  readonly what?: string;
}

const LOCK_TIMEOUT_MS = 10_000;
const TRIES = 3;
const PAUSE_MS = 100;
/** Between two looks at the lock: by chance, so that nobody is always late; and longer where many wait. */
const LOOK_MS = { least: 1, growth: 2, most: 20 };

/** `act` is synchronous: the lock is not held over anything that could wait. */
export async function underLock<T>(path: string, options: LockOptions, act: () => T): Promise<T> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, tries = TRIES, pauseMs = PAUSE_MS, signal } = options;
  const self = options.self ?? identifySelf();
  let held: Held | null = null;
  for (let attempt = 0; attempt < tries; attempt++) {
    if (attempt > 0) await sleep(pauseMs * 2 ** (attempt - 1), undefined, { signal });
    const deadline = performance.now() + lockTimeoutMs;
    let longest = LOOK_MS.least;
    do {
      signal?.throwIfAborted();
      const seen: Held | null = held;
      held = grab(path, self);
      if (held === null) return release(path, act);
      // Twice the same turn: it is a slow one, or it was its last.
      if (held.text === seen?.text) clearStale(path, held, self);
      longest = Math.min(longest + LOOK_MS.growth, LOOK_MS.most);
      await sleep(LOOK_MS.least + Math.random() * (longest - LOOK_MS.least), undefined, { signal });
    } while (performance.now() < deadline);
  }
  throw locked(options.what ?? 'message bus', path, held, tries);
}

function release<T>(path: string, act: () => T): T {
  try {
    return act();
  } finally {
    unlock(path);
  }
}

function locked(what: string, path: string, held: Held | null, tries: number): RalphError {
  const by = held?.pid ? `process ${held.pid}` : 'somebody else';
  return new RalphError(
    'BUS_LOCKED',
    `${what} ${path} is locked by ${by} (${tries} ${tries === 1 ? 'try' : 'tries'})`,
    {
      hint: `If nobody writes to it, for instance because a container was killed: rm ${lockOf(path)}`,
      exitCode: 1,
    },
  );
}
