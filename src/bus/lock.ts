/**
 * The lock of a bus: a symbolic link beside it that leads nowhere and names its holder. Making one is a single step of
 * the file system that brings the name with it, so nobody ever sees a lock without a holder; a message needs it for some
 * ten microseconds. What a dead holder left is cleared away under the slower lock of `state/`: two that clear at once
 * could otherwise take away the next one's.
 */
import { lstatSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { errnoOf } from '../core/error.ts';
import { digestOf } from '../core/text/digest.ts';
import {
  identify,
  type MachineIdentity,
  ownIdentity,
  type ProcessIdentity,
  thisMachine,
} from '../process/identity/identity.ts';
import { isNamespaceEmpty } from '../process/identity/namespace-liveness.ts';
import { tryLock } from '../state/lock.ts';

/** Who we are, for our locks; it can be found out once and used for many messages. */
export interface Self {
  readonly name: string;
  readonly place: MachineIdentity;
}

export interface Held {
  /** What stands in the lock; another for each time it is taken. */
  readonly text: string;
  /** Null when it is no lock of ours. */
  readonly pid: number | null;
}

/**
 * Machine, boot, pid namespace, pid, start time and turn. Short: a link of 60 bytes and more needs a block of the disk,
 * which took up to three times as long (ext4).
 */
const NAME = /^ralph1\.(\w{7})\.(\w{7})\.(\w{7})\.(\d+)\.(\w{7})\.(\w+)$/;

export function identifySelf(): Self {
  const place = thisMachine();
  return { name: nameOf(ownIdentity(place), place), place };
}

export function lockOf(path: string): string {
  return `${path}.lock`;
}

/** Null: the lock is ours until `unlock`. */
export function grab(path: string, self: Self): Held | null {
  const lock = lockOf(path);
  const name = `${self.name}.${process.hrtime.bigint().toString(36).slice(-6)}`;
  for (;;) {
    try {
      symlinkSync(name, lock);
      return null;
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    const text = readLock(lock);
    if (text !== null) return { text, pid: Number(NAME.exec(text)?.[4] ?? 0) || null };
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
export function clearStale(path: string, { text }: Held, { place }: Self): void {
  if (!isGone(text, place, lockOf(path))) return;
  const guard = `${lockOf(path)}.clearing`;
  try {
    const attempt = tryLock(guard, 'clearing a lock', place);
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

/**
 * On another machine nobody can see whether it still runs: there it is never gone. In another container it is gone when
 * nobody is left there, as far as we can see that.
 */
function isGone(text: string, place: MachineIdentity, lock: string): boolean {
  const [, machine, boot, namespace, pid] = NAME.exec(text) ?? [];
  if (machine !== short(place.machine)) return false;
  if (boot !== short(place.boot)) return true;
  if (namespace !== short(place.pidNamespace)) {
    const owner = lstatSync(lock, { throwIfNoEntry: false })?.uid;
    return owner !== undefined && isNamespaceEmpty((other) => short(other) === namespace, owner);
  }
  const living = identify(Number(pid), place);
  return living === null || !text.startsWith(`${nameOf(living, place)}.`);
}

function nameOf({ pid, startTime }: ProcessIdentity, { machine, boot, pidNamespace }: MachineIdentity): string {
  return ['ralph1', short(machine), short(boot), short(pidNamespace), pid, short(startTime)].join('.');
}

function short(text: string): string {
  return digestOf(text).slice(-7);
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
