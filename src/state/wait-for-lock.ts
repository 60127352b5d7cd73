/** Waits for a lock of either kind, for callers that can do something else meanwhile and for those that cannot. */
import type { Duration } from '../core/time.ts';
import { sleepNow } from '../process/blocking.ts';
import { type LockAttempt, tryLock } from './lock.ts';

export interface Waiting {
  readonly patience: Duration;
  /** Do not wait for a holder that we cannot see: it may never come back. */
  readonly refusesForeign?: boolean;
  /** Called between two tries. */
  whileHeld?(): void;
}

type Look = { readonly got: boolean; readonly foreign?: boolean };

/** Between two tries: random, so that contenders do not keep colliding and none is always late; longer if many wait. */
const PAUSE_MS = { least: 1, growth: 2, most: 20 };

/** Tries until it gets the lock, or others have held it for too long. Yields how long to sleep before the next try. */
export function* looks<Attempt extends Look>(
  look: () => Attempt,
  waiting: Waiting,
): Generator<Duration, Attempt, void> {
  const { patience, refusesForeign = false, whileHeld } = waiting;
  const deadline = performance.now() + patience;
  for (let longest = PAUSE_MS.least; ; ) {
    const attempt = look();
    const isHopeless = refusesForeign && attempt.foreign === true;
    if (attempt.got || isHopeless || performance.now() >= deadline) return attempt;
    whileHeld?.();
    longest = Math.min(longest + PAUSE_MS.growth, PAUSE_MS.most);
    yield PAUSE_MS.least + Math.random() * (longest - PAUSE_MS.least);
  }
}

/** Blocks: for a hook, or a write that must finish before its caller continues, which cannot wait otherwise. */
export function waitForLock(folder: string, purpose: string, waiting: Waiting): LockAttempt {
  const turns = looks(() => tryLock(folder, purpose), waiting);
  for (;;) {
    const turn = turns.next();
    if (turn.done === true) return turn.value;
    sleepNow(turn.value);
  }
}
