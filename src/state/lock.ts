/**
 * A lock is a symbolic link that leads nowhere and names its holder: made in one step, none is ever seen without a holder.
 * It is stale when that process is gone, and is then cleared away under a lock of the same kind: two that clear at once
 * could otherwise take away the next one's. No heartbeat: a stopped clock steals nothing.
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
  /** What the holder does, for the message of a refusal. */
  readonly purpose: string;
}

interface Refused {
  readonly got: false;
  readonly holder: Holder;
  /** On another machine or in another container, where we cannot see whether it still runs. */
  readonly foreign: boolean;
  readonly file: string;
}

export type LockAttempt = { readonly got: true; readonly lock: Lock } | Refused;

/** So often another process may be found clearing the same lock away. */
const TRIES = 100;

/** In a folder that only the user may enter. */
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
      // Cleared away between the two, as a folder in which no lock was held.
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** Who holds a lock on this machine now; null for no one. Takes nothing. */
export function lockHolder(folder: string): Holder | null {
  const found = holderIn(folder);
  return found === null || found.foreign ? null : found.holder;
}

/** Is it held, here or where we cannot see whether the holder lives? Takes nothing. */
export const isLocked = (folder: string) => holderIn(folder) !== null;

function holderIn(folder: string): Refused | null {
  // Most loops of a list have none, and two exceptions take longer than all else that is read of them.
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return null;
  const file = join(folder, 'holder');
  const text = readLock(file);
  return text === null || isGone(text, file) ? earlierHolder(folder) : refusedBy(text, file);
}

function refusedBy(text: string, file: string): Refused {
  const [, , , , pid, , , purpose = 'another program'] = NAME.exec(text) ?? [];
  const unseen = { pid: Number(pid ?? 0), startTime: '', boot: '' };
  // One of this machine that has ended since the look is no foreign one.
  const foreign = !text.startsWith(`${nameOfPlace()}.`);
  const living = foreign ? null : identify(unseen.pid);
  return { got: false, holder: { ...(living ?? unseen), purpose }, foreign, file };
}

type EarlierHolder = Holder & { readonly place: MachineIdentity };

/** A holder of release 0.1, which put up a file each; what its dead have left is cleared away. */
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

/** Null for a file that a power cut has emptied: the machine its holder ran on has rebooted since. */
function parseHolder(text: string): EarlierHolder | null {
  const holder = (parsedJson(text) ?? {}) as Partial<EarlierHolder>;
  const isWhole = typeof holder.pid === 'number' && typeof holder.place?.machine === 'string';
  return isWhole ? (holder as EarlierHolder) : null;
}

// Machine, boot, pid namespace, pid, start time and turn; for a folder's lock also its purpose. Short: a link of 60 bytes
// and more needs a block of the disk, which took up to three times as long (ext4).
const NAME = /^ralph1\.(\w{7})\.(\w{7})\.(\w{7})\.(\d+)\.(\w{7})\.(\w+)(?: (.*))?$/s;
const NOT_A_LINK = 'not a link';

let known: string | null = null;

/** Who we are, for our locks; found out once, and used for many messages. */
export function ownName(): string {
  known ??= nameOf(ownIdentity());
  return known;
}

/** The process that a lock names; null when it is no lock of ours. */
export function pidIn(text: string): number | null {
  return Number(NAME.exec(text)?.[4] ?? 0) || null;
}

/** Null: the lock is ours until it is removed. Else what stands in it, which is another text for each time it is taken. */
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

/** (Not by `rmSync`, which would load a module for it, at the end of every hook.) Its folder may have been removed with it. */
export function removeLink(lock: string): void {
  ifThere(() => unlinkSync(lock));
}

export function clearStale(lock: string, text: string): void {
  if (!isGone(text, lock)) return;
  const guard = `${lock}.clearing`;
  const other = makeLink(guard);
  if (other === null) {
    // The dead do not unlock, and only the holder of the guard clears: it cannot become another's between these two.
    if (readLock(lock) === text) removeLink(lock);
    removeLink(guard);
  } else if (other === NOT_A_LINK) {
    // An older release guarded by a folder, and died in it.
    rmSync(guard, { recursive: true, force: true });
  } else clearStale(guard, other);
}

/** Never on another machine, where we cannot see it; in another container once that is seen to be empty. */
function isGone(text: string, lock: string): boolean {
  const place = thisMachine();
  const [, machine, boot, namespace, pid] = NAME.exec(text) ?? [];
  if (machine !== short(place.machine)) return false;
  if (boot !== short(place.boot)) return true;
  if (namespace !== short(place.pidNamespace)) {
    const owner = lstatSync(lock, { throwIfNoEntry: false })?.uid;
    return owner !== undefined && isNamespaceEmpty((other) => short(other) === namespace, owner);
  }
  const living = identify(Number(pid));
  return living === null || !text.startsWith(`${nameOf(living)}.`);
}

const nameOf = ({ pid, startTime }: ProcessIdentity) => `${nameOfPlace()}.${pid}.${short(startTime)}`;

function nameOfPlace(): string {
  const { machine, boot, pidNamespace } = thisMachine();
  return ['ralph1', short(machine), short(boot), short(pidNamespace)].join('.');
}

const short = (text: string) => digestOf(text).slice(-7);

const readLock = (lock: string) => ifThere(() => nullOn(['EINVAL'], () => readlinkSync(lock)) ?? NOT_A_LINK);
