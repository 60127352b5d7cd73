/**
 * A lock that names its holder: machine, boot, pid namespace, pid and start time. It is stale when that process is
 * gone. Each contender first puts up its own file and then looks for others: of two that come at once at least one
 * sees the other, so there are never two holders; the later one withdraws, so there is one. No heartbeat: a stopped
 * clock steals nothing.
 */
import { readdirSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf, RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import { readPlainText, writeFile } from '../process/files.ts';
import { isRunning, type MachineIdentity, ownIdentity, type ProcessIdentity } from '../process/identity/identity.ts';
import { makePrivateFolder } from './folders.ts';

export interface Lock {
  release(): void;
}

export interface Holder extends ProcessIdentity {
  readonly v: 1;
  readonly place: MachineIdentity;
  /** What the holder does, for the message of a refusal. */
  readonly purpose: string;
}

export type LockAttempt =
  | { readonly got: true; readonly lock: Lock }
  /** `foreign`: on another machine or in another container, where we cannot see whether it still runs. */
  | { readonly got: false; readonly holder: Holder; readonly foreign: boolean; readonly file: string };

const LOOKS = 25;
const BETWEEN_LOOKS_MS = 2;

export function tryLock(folder: string, purpose: string, place: MachineIdentity): LockAttempt {
  const self = ownIdentity(place);
  makePrivateFolder(folder);
  // By the time since boot: a later contender has the greater name.
  const mine = `holder-${String(process.hrtime.bigint()).padStart(20, '0')}-${process.pid}.json`;
  const path = join(folder, mine);
  const holder: Holder = { v: 1, ...self, place, purpose };
  // Renamed into place, so that a half-written holder is never read.
  writeFile(join(folder, `.${mine}`), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  renameSync(join(folder, `.${mine}`), path);

  for (let look = 1; ; look++) {
    const other = otherHolder(folder, mine, place);
    if (other === null) return { got: true, lock: { release: () => removeOwn(path) } };
    // A later contender is about to withdraw, unless it looked before we came: then it holds the lock.
    if (basename(other.file) < mine || look === LOOKS) {
      rmSync(path, { force: true });
      return other;
    }
    sleepNow(BETWEEN_LOOKS_MS);
  }
}

/** Tries until the lock is free, or has been held by others for too long. Between two looks it sleeps. */
export function waitForLock(folder: string, { purpose, place, patience, pause = sleepNow }: Waiting): LockAttempt {
  const deadline = performance.now() + patience;
  for (;;) {
    const attempt = tryLock(folder, purpose, place);
    if (attempt.got || performance.now() > deadline) return attempt;
    // Not all at the same moment: contenders that look in step would keep meeting.
    pause(1 + Math.random() * LOOK_AGAIN_AFTER_AT_MOST);
  }
}

export interface Waiting {
  readonly purpose: string;
  readonly place: MachineIdentity;
  readonly patience: Duration;
  pause?(ms: Duration): void;
}

const LOOK_AGAIN_AFTER_AT_MOST: Duration = 10;

/** For callers that cannot wait in any other way: a hook, or a write that must be done before its caller goes on. */
export function sleepNow(ms: Duration): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** (`rmSync` would load a module for it, at the end of every hook.) */
function removeOwn(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // The folder of the loop may have been removed meanwhile.
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** Who holds a lock on this machine now; null for no one. Takes nothing. */
export function lockHolder(folder: string, place: MachineIdentity): Holder | null {
  const other = holderNow(folder, place);
  return other === null || other.foreign ? null : other.holder;
}

/** Is it held, here or where we cannot see whether the holder lives? Takes nothing. */
export function isLocked(folder: string, place: MachineIdentity): boolean {
  return holderNow(folder, place) !== null;
}

function holderNow(folder: string, place: MachineIdentity): ReturnType<typeof otherHolder> {
  try {
    return otherHolder(folder, '', place);
  } catch (error) {
    // It was never taken.
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The earliest of the others that still lives; what the dead have left is cleared away. */
function otherHolder(
  folder: string,
  mine: string,
  place: MachineIdentity,
): Extract<LockAttempt, { got: false }> | null {
  for (const name of readdirSync(folder).sort()) {
    if (name === mine || !name.startsWith('holder-')) continue;
    const file = join(folder, name);
    const holder = readHolder(file);
    if (holder === null) continue;
    const rebooted = holder.place.machine === place.machine && holder.place.boot !== place.boot;
    const foreign =
      holder.place.machine !== place.machine || (!rebooted && holder.place.pidNamespace !== place.pidNamespace);
    if (foreign || isRunning(holder, place)) return { got: false, holder, foreign, file };
    rmSync(file, { force: true });
  }
  return null;
}

/** Null for a holder that is gone, or whose file a power cut has emptied: the machine it ran on has rebooted since. */
function readHolder(file: string): Holder | null {
  let text: string;
  try {
    text = readPlainText(file);
  } catch (error) {
    // Gone; or a pipe or a folder, which no process ever puts up.
    if (errnoOf(error) === 'ENOENT' || error instanceof RalphError) return null;
    throw error;
  }
  const holder = parseHolder(text);
  // Whole files only are renamed into place, so this one is no living process's.
  if (holder === null) rmSync(file, { force: true });
  return holder;
}

function parseHolder(text: string): Holder | null {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null;
    const isWhole = typeof holder?.pid === 'number' && typeof holder.place?.machine === 'string';
    return isWhole ? (holder as Holder) : null;
  } catch {
    return null;
  }
}
