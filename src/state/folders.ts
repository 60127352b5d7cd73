/** Makes, measures, syncs and removes folders. */
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import { naming } from '../core/system-fault.ts';
import { makeFolders } from '../process/files.ts';

/** One that only the user may enter. Gives back those that were not there, outermost first. */
export function makePrivateFolder(path: string): string[] {
  return makeFolders(path, 0o700);
}

/** So often a file may come between the look into a folder and its removal; `maxRetries` would not look again. */
const MOST_REMOVALS = 1000;

/** Also one in which files are still being made. */
export function removeFolder(path: string): void {
  for (let removals = 1; ; removals++) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOTEMPTY' || removals === MOST_REMOVALS) throw error;
    }
  }
}

/** In bytes; links count as themselves. */
export function sizeOfFolder(folder: string): number {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .map((path) => ({ path, stat: lstatSync(path) }))
      .reduce((sum, { path, stat }) => sum + (stat.isDirectory() ? sizeOfFolder(path) : stat.size), 0);
  } catch {
    // Something went while it was counted, or may not be looked at: the size is for people.
    return 0;
  }
}

/** Makes the entries of a folder, or the content of a file, survive a power cut. */
export function syncToDisk(path: string): void {
  const fd = openSync(path, 'r');
  try {
    naming(path, () => fsyncSync(fd));
  } finally {
    closeSync(fd);
  }
}
