/** How a lock is waited for, whichever kind it is and whether its caller can do something else meanwhile. */
import type { Duration } from '../core/time.ts';
import { sleepNow } from '../process/blocking.ts';
import { type LockAttempt, tryLock } from './lock.ts';

export interface Waiting {
  readonly patience: Duration;
  /** A holder that we cannot see may never come back: do not wait for it. */
  readonly refusesForeign?: boolean;
  /** Called between two looks. */
  whileHeld?(): void;
}

type Look = { readonly got: boolean; readonly foreign?: boolean };

/** Between two looks: random, so that contenders do not keep meeting and none is always late; longer where many wait. */
const PAUSE_MS = { least: 1, growth: 2, most: 20 };

/** Looks until the lock is got, or has been held by others for too long. Yields how long to sleep before the next look. */
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

/** For callers that cannot wait in any other way: a hook, or a write that must be done before its caller goes on. */
export function waitForLock(folder: string, purpose: string, waiting: Waiting): LockAttempt {
  const turns = looks(() => tryLock(folder, purpose), waiting);
  for (;;) {
    const turn = turns.next();
    if (turn.done === true) return turn.value;
    sleepNow(turn.value);
  }
}
