/**
 * The lock of a bus: a symbolic link beside it that leads nowhere and names its holder. Making one is a single step of
 * the file system that brings the name with it, so nobody ever sees a lock without a holder; a message needs it for some
 * ten microseconds. What a dead holder left is cleared away under the slower lock of `state/`: two that clear at once
 * could otherwise take away the next one's.
 */
import { readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { errnoOf } from '../core/error.ts';
import { identify, thisPlace } from '../process/identity.ts';
import { type Holder, standingOf, tryLock } from '../state/lock.ts';

/** Who we are, for our locks; it can be found out once and used for many messages. */
export type Self = Holder;

export interface Held {
  /** What stands in the lock; another for each time it is taken. */
  readonly text: string;
  /** Null when it is no lock of ours. */
  readonly holder: Holder | null;
}

export function identifySelf(): Self {
  const place = thisPlace();
  const self = identify(process.pid, place);
  if (self === null) throw new Error('this process does not find itself');
  return { v: 1, ...self, place, purpose: 'message bus' };
}

export function lockOf(path: string): string {
  return `${path}.lock`;
}

/** Null: the lock is ours until `unlock`. */
export function grab(path: string, self: Self): Held | null {
  const lock = lockOf(path);
  for (;;) {
    try {
      symlinkSync(JSON.stringify({ ...self, turn: String(process.hrtime.bigint()) }), lock);
      return null;
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    const text = readLock(lock);
    if (text !== null) return { text, holder: parseHolder(text) };
  }
}

export function unlock(path: string): void {
  try {
    unlinkSync(lockOf(path));
  } catch (error) {
    // Its folder was removed with it.
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** Clears the lock away if it is still that one and its holder is gone. */
export function clearStale(path: string, { text, holder }: Held, self: Self): void {
  if (holder === null || standingOf(holder, self.place) !== 'gone') return;
  const guard = `${lockOf(path)}.clearing`;
  try {
    const attempt = tryLock(guard, 'clearing a lock', self.place);
    if (attempt.got) {
      // The dead do not unlock, and only who has the guard clears: it cannot become another's between these two.
      if (readLock(lockOf(path)) === text) unlock(path);
      attempt.lock.release();
    }
    rmdirSync(guard);
  } catch (error) {
    // Somebody else is clearing, and was the first to enter the guard or to leave it.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** Null when it is gone meanwhile. */
function readLock(lock: string): string | null {
  try {
    return readlinkSync(lock);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return null;
    if (code === 'EINVAL') return 'not a link';
    throw error;
  }
}

/** A link is made whole or not at all, so what cannot be read is not ours to clear away. */
function parseHolder(text: string): Holder | null {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null;
    return holder?.v === 1 && holder.place !== undefined ? (holder as Holder) : null;
  } catch {
    return null;
  }
}
