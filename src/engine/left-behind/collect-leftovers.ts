/**
 * Removes what belongs to no loop: locks that no process holds, loops that never began, the output of starts that were
 * cut off, and the clean checkouts of supervisors that died.
 */
import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../core/error.ts';
import type { Instant } from '../../core/time.ts';
import { ifThere } from '../../process/files.ts';
import { isLocked, tryLock } from '../../state/lock.ts';
import {
  journalPath,
  locksFolder,
  loopLock,
  loopsFolder,
  type StateRoot,
  startsFolder,
  statusPath,
} from '../../state/paths.ts';
import { leftCheckouts, removeCheckout } from './proof-checkouts.ts';

/** Anything younger may be just starting. */
const YOUNG_MS = 24 * 60 * 60_000;

/** Returns how many were removed, or would be. `checkouts`: the folder of the clean checkouts. */
export function collectLeftovers(
  { root, checkouts }: { readonly root: StateRoot; readonly checkouts: string },
  now: Instant,
  isDryRun: boolean,
): number {
  const old = (folder: string): string[] =>
    (ifThere(() => readdirSync(folder)) ?? [])
      .map((name) => join(folder, name))
      .filter((path) => (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - YOUNG_MS);
  const remove = (path: string): void => rmSync(path, { recursive: true, force: true });
  const leftovers: readonly [paths: string[], remove: (path: string) => void][] = [
    [old(startsFolder(root)), remove],
    [old(loopsFolder(root)).filter(isUnbegun), remove],
    // Before the locks, which decide whether a checkout is still in use.
    [leftCheckouts(checkouts, root, now - YOUNG_MS), removeCheckout],
    [old(locksFolder(root)).filter((lock) => !isLocked(lock)), removeLock],
  ];
  if (!isDryRun) for (const [paths, act] of leftovers) for (const path of paths) unlessRefused(() => act(path));
  return leftovers.reduce((sum, [paths]) => sum + paths.length, 0);
}

/** Its supervisor died before the first record. A folder that has a status has lost its records, and is kept. */
function isUnbegun(folder: string): boolean {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true || isLocked(loopLock(folder))) return false;
  const sizeOf = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(journalPath(folder)) === 0 && lstatSync(statusPath(folder), { throwIfNoEntry: false }) === undefined;
}

/** If a process takes the lock in between, it keeps it: the folder is not empty then, and `rmdir` fails. */
function removeLock(folder: string): void {
  const attempt = tryLock(folder, 'clearing away old locks');
  if (!attempt.got) return;
  attempt.lock.release();
  rmdirSync(folder);
}

function unlessRefused(act: () => void): void {
  try {
    act();
  } catch (error) {
    // It is in use again, or not ours to remove; that may change by the next time.
    if (errnoOf(error) === undefined) throw error;
  }
}
