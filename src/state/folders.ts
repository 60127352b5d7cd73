/** Folders that only the user may enter. */
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { errnoOf } from '../core/error.ts';
import { naming } from '../core/system-fault.ts';
import { makeFolders } from '../process/files.ts';

/** Gives back those that were not there, outermost first. */
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

/** Makes the entries of a folder, or the content of a file, survive a power cut. */
export function syncToDisk(path: string): void {
  const fd = openSync(path, 'r');
  try {
    naming(path, () => fsyncSync(fd));
  } finally {
    closeSync(fd);
  }
}
