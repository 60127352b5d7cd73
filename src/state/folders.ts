/** Makes, measures, syncs and removes folders. */
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, handled } from '../core/error.ts';
import { naming } from '../core/system-fault.ts';
import { makeFolders } from '../process/files.ts';

/** Makes a folder that only the user may enter. Returns the folders that it created, outermost first. */
export function makePrivateFolder(path: string): string[] {
  return makeFolders(path, 0o700);
}

/** How often a file may appear between listing a folder and removing it. `maxRetries` does not list it again. */
const MOST_REMOVALS = 1000;

/** Removes a folder, even one in which files are still being created. */
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

/** In bytes; links are not followed. */
export function sizeOfFolder(path: string): number {
  const size = (): number => {
    const stat = lstatSync(path);
    if (!stat.isDirectory()) return stat.size;
    return readdirSync(path).reduce((sum, name) => sum + sizeOfFolder(join(path, name)), 0);
  };
  // What was removed during the count, or cannot be read, counts as empty; the rest must not.
  return handled(size, () => 0);
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
