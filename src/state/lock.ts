/**
 * A lock is a dangling symbolic link that names its holder: created in one step, so it never exists without a holder.
 * It is stale when that process is gone, and is then removed under a lock of the same kind: of two processes that
 * remove it at once, one could otherwise remove the next holder's. There is no heartbeat: a stopped clock steals
 * nothing.
 */
import { lstatSync, readdirSync, readlinkSync, rmSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import { digestOf } from '../core/text/digest.ts';
import { parsedJson } from '../core/text/json.ts';
import { sleepNow } from '../process/blocking.ts';
import { ifThere, makeFolders, nullOn, readPlain } from '../process/files.ts';
import {
  identify,
  isRunning,
  type MachineIdentity,
  ownIdentity,
  type ProcessIdentity,
  thisMachine,
} from '../process/identity/identity.ts';
import { isNamespaceEmpty } from '../process/identity/identity-linux.ts';

export interface Lock {
  release(): void;
}

export interface Holder extends ProcessIdentity {
  /** What the holder does, for error messages. */
  readonly purpose: string;
}

interface Refused {
  readonly got: false;
  readonly holder: Holder;
  /** The holder is on another machine or in another container, where we cannot see whether it still runs. */
  readonly foreign: boolean;
  readonly file: string;
}

export type LockAttempt = { readonly got: true; readonly lock: Lock } | Refused;

/** How often another process may be found removing the same lock. */
const TRIES = 100;

/** `folder` is one that only the user may enter. */
export function tryLock(folder: string, purpose: string): LockAttempt {
  const file = join(folder, 'holder');
  for (let tries = 1; ; tries++) {
    const text = makeLinkIn(folder, file, purpose);
    if (text === null) break;
    if (tries === TRIES || !isGone(text, file)) return refusedBy(text, file);
    if (tries > 1) sleepNow(1);
    clearStale(file, text);
  }
  const earlier = earlierHolder(folder);
  if (earlier !== null) removeLink(file);
  return earlier ?? { got: true, lock: { release: () => removeLink(file) } };
}

function makeLinkIn(folder: string, file: string, purpose: string): string | null {
  for (;;) {
    makeFolders(folder, 0o700);
    try {
      return makeLink(file, purpose);
    } catch (error) {
      // The folder was removed in between, because no lock was held in it.
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** Who holds the lock on this machine now, or null. Does not take the lock. */
export function lockHolder(folder: string): Holder | null {
  const found = holderIn(folder);
  return found === null || found.foreign ? null : found.holder;
}

/** Is it held, on this machine or where we cannot see whether the holder lives? Does not take the lock. */
export const isLocked = (folder: string) => holderIn(folder) !== null;

/** Both in one look: who holds it, and whether we can see that the holder lives. Does not take the lock. */
export function holderIn(folder: string): Refused | null {
  // Most loops in a list have none, and two exceptions would take longer than everything else that is read of a loop.
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return null;
  const file = join(folder, 'holder');
  const text = readLock(file);
  if (text === null) return earlierHolder(folder);
  const living = livingIn(text);
  return isGone(text, file, living) ? earlierHolder(folder) : refusedBy(text, file, living);
}

function refusedBy(text: string, file: string, living = livingIn(text)): Refused {
  const [, , , , pid, , , purpose = 'another program'] = NAME.exec(text) ?? [];
  const unseen = { pid: Number(pid ?? 0), startTime: '', boot: '' };
  // A holder on this machine that has ended in the meantime is not foreign.
  return { got: false, holder: { ...(living ?? unseen), purpose }, foreign: !isNamedHere(text), file };
}

/** The process that has the lock's pid now, perhaps another one than its holder; null if there is none here. */
function livingIn(text: string): ProcessIdentity | null {
  return isNamedHere(text) ? identify(pidIn(text) ?? 0) : null;
}

const isNamedHere = (text: string) => text.startsWith(`${nameOfPlace()}.`);

type EarlierHolder = Holder & { readonly place: MachineIdentity };

/** A holder of release 0.1, which used one file per holder; files of dead holders are removed. */
function earlierHolder(folder: string): Refused | null {
  const place = thisMachine();
  for (const name of ifThere(() => readdirSync(folder)) ?? []) {
    const file = join(folder, name);
    const text = name.startsWith('holder-') ? readPlain(file) : null;
    if (text === null) continue;
    const holder = parseHolder(text);
    const { machine, boot, pidNamespace } = holder?.place ?? place;
    const foreign = machine !== place.machine || (boot === place.boot && pidNamespace !== place.pidNamespace);
    if (holder !== null && (foreign || isRunning(holder))) return { got: false, holder, foreign, file };
    rmSync(file, { force: true });
  }
  return null;
}

/** Null for a file that a power cut has emptied: its holder's machine has rebooted since. */
function parseHolder(text: string): EarlierHolder | null {
  const holder = (parsedJson(text) ?? {}) as Partial<EarlierHolder>;
  const isWhole = typeof holder.pid === 'number' && typeof holder.place?.machine === 'string';
  return isWhole ? (holder as EarlierHolder) : null;
}

// Machine, boot, pid namespace, pid, start time and turn; for a folder's lock also its purpose. Short, because a link
// of 60 bytes or more needs a disk block, which took up to three times as long (ext4).
const NAME = /^ralph1\.(\w{7})\.(\w{7})\.(\w{7})\.(\d+)\.(\w{7})\.(\w+)(?: (.*))?$/s;
const NOT_A_LINK = 'not a link';

let known: string | null = null;

/** This process, as it is named in locks. Cached, because many messages need it. */
export function ownName(): string {
  known ??= nameOf(ownIdentity());
  return known;
}

/** The process that a lock names; null if it is not a lock of ours. */
export function pidIn(text: string): number | null {
  return Number(NAME.exec(text)?.[4] ?? 0) || null;
}

/** Null: the lock is ours until it is removed. Otherwise the text in it, which differs each time that it is taken. */
export function makeLink(lock: string, purpose = ''): string | null {
  const turn = process.hrtime.bigint().toString(36).slice(-6);
  for (;;) {
    try {
      symlinkSync(`${ownName()}.${turn}${purpose && ` ${purpose}`}`, lock);
      return null;
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    const text = readLock(lock);
    if (text !== null) return text;
  }
}

/** Not by `rmSync`, which would load another module at the end of every hook. The folder may be gone as well. */
export function removeLink(lock: string): void {
  ifThere(() => unlinkSync(lock));
}

export function clearStale(lock: string, text: string): void {
  if (!isGone(text, lock)) return;
  const guard = `${lock}.clearing`;
  const other = makeLink(guard);
  if (other === null) {
    // A dead holder does not unlock, and only the guard's holder clears, so the lock cannot change hands in between.
    if (readLock(lock) === text) removeLink(lock);
    removeLink(guard);
  } else if (other === NOT_A_LINK) {
    // An older release used a folder as the guard, and died while it held it.
    rmSync(guard, { recursive: true, force: true });
  } else clearStale(guard, other);
}

/** Never true for another machine, which we cannot see; for another container, once it is seen to be empty. */
function isGone(text: string, lock: string, living = livingIn(text)): boolean {
  const [, machine, boot, namespace] = NAME.exec(text) ?? [];
  const [, ownMachine, ownBoot, ownNamespace] = nameOfPlace().split('.');
  if (machine !== ownMachine) return false;
  if (boot !== ownBoot) return true;
  if (namespace !== ownNamespace) {
    const owner = lstatSync(lock, { throwIfNoEntry: false })?.uid;
    return owner !== undefined && isNamespaceEmpty((other) => short(other) === namespace, owner);
  }
  return living === null || !text.startsWith(`${nameOf(living)}.`);
}

const nameOf = ({ pid, startTime }: ProcessIdentity) => `${nameOfPlace()}.${pid}.${short(startTime)}`;

let placeName: string | null = null;

/** Cached like `ownName`: three digests for each lock of a long list. */
function nameOfPlace(): string {
  const { machine, boot, pidNamespace } = thisMachine();
  placeName ??= ['ralph1', short(machine), short(boot), short(pidNamespace)].join('.');
  return placeName;
}

const short = (text: string) => digestOf(text).slice(-7);

const readLock = (lock: string) => ifThere(() => nullOn(['EINVAL'], () => readlinkSync(lock)) ?? NOT_A_LINK);
