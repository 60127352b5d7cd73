/** Folders that only the user may enter. */
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { errnoOf } from '../core/error.ts';

export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** So often a file may come between the look into a folder and its removal; `maxRetries` would not look again. */
const MOST_REMOVALS = 1000;

/** Also one in which somebody goes on making files. */
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

/** Makes the entries of a folder survive a power cut. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
