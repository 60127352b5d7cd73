/**
 * A lock beside a file for as long as it is written: a symbolic link that leads nowhere and names its holder. Making one is
 * a single step of the file system that brings the name with it, so a lock without a holder is never seen; a message needs
 * it for some ten microseconds. It is stale when that process is gone, and then cleared away under a lock of the same kind:
 * two that clear at once could otherwise take away the next one's.
 */
import { lstatSync, readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf, RalphError } from '../core/error.ts';
import { digestOf } from '../core/text/digest.ts';
import type { Duration } from '../core/time.ts';
import {
  identify,
  type MachineIdentity,
  ownIdentity,
  type ProcessIdentity,
  thisMachine,
} from '../process/identity/identity.ts';
import { isNamespaceEmpty } from '../process/identity/namespace-liveness.ts';

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

export interface LockOptions {
  /** How long one try waits; 10 s unless given. */
  readonly lockTimeoutMs?: Duration;
  readonly tries?: number;
  /** The pause before the second try, twice that before the third, and so on; 100 ms unless given. */
  readonly pauseMs?: Duration;
  readonly signal?: AbortSignal;
  /** Found out anew unless given. */
  readonly self?: Self;
  /** What it is that is locked, for people; a message bus unless given. */
  readonly what?: string;
}

/**
 * Machine, boot, pid namespace, pid, start time and turn. Short: a link of 60 bytes and more needs a block of the disk,
 * which took up to three times as long (ext4).
 */
const NAME = /^ralph1\.(\w{7})\.(\w{7})\.(\w{7})\.(\d+)\.(\w{7})\.(\w+)$/;
const NOT_A_LINK = 'not a link';
/** Between two looks at the lock: random, so that no process is always late; and longer where many wait. */
const LOOK_MS = { least: 1, growth: 2, most: 20 };

export function identifySelf(): Self {
  const place = thisMachine();
  return { name: nameOf(ownIdentity(place), place), place };
}

export function lockOf(path: string): string {
  return `${path}.lock`;
}

/** Acts on a file while no other process does. `act` is synchronous: the lock is not held over anything that could wait. */
export async function underLock<T>(path: string, options: LockOptions, act: () => T): Promise<T> {
  const { lockTimeoutMs = 10_000, tries = 3, pauseMs = 100, signal, what = 'message bus' } = options;
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
      if (held === null) {
        try {
          return act();
        } finally {
          unlock(path);
        }
      }
      // Twice the same turn: it is a slow one, or it was its last.
      if (held.text === seen?.text) clearStale(lockOf(path), held.text, self);
      longest = Math.min(longest + LOOK_MS.growth, LOOK_MS.most);
      await sleep(LOOK_MS.least + Math.random() * (longest - LOOK_MS.least), undefined, { signal });
    } while (performance.now() < deadline);
  }
  const by = held?.pid ? `process ${held.pid}` : 'somebody else';
  const fact = `${what} ${path} is locked by ${by} (${tries} ${tries === 1 ? 'try' : 'tries'})`;
  const hint = `If nobody writes to it, for instance because a container was killed: rm ${lockOf(path)}`;
  throw new RalphError('BUS_LOCKED', fact, { hint, exitCode: 1 });
}

/** Null: the lock is ours until `unlock`. */
export function grab(path: string, self: Self): Held | null {
  return makeLink(lockOf(path), self);
}

export function unlock(path: string): void {
  removeLink(lockOf(path));
}

function makeLink(lock: string, self: Self): Held | null {
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

function removeLink(lock: string): void {
  try {
    unlinkSync(lock);
  } catch (error) {
    // Its folder was removed with it.
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** Clears the lock away if it is still that one and its holder is gone. */
function clearStale(lock: string, text: string, self: Self): void {
  if (!isGone(text, self.place, lock)) return;
  const guard = `${lock}.clearing`;
  const other = makeLink(guard, self);
  if (other === null) {
    // The dead do not unlock, and only the holder of the guard clears: it cannot become another's between these two.
    if (readLock(lock) === text) removeLink(lock);
    removeLink(guard);
  } else if (other.text === NOT_A_LINK) {
    // An older release guarded by a folder, and died in it.
    rmSync(guard, { recursive: true, force: true });
  } else clearStale(guard, other.text, self);
}

/**
 * Whether a process on another machine still runs cannot be seen: it is never gone. In another container it is gone when
 * the container is empty, as far as we can see that.
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
    if (code === 'EINVAL') return NOT_A_LINK;
    throw error;
  }
}
