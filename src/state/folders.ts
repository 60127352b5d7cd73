/** Folders that only the user may enter. */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { naming } from '../core/system-fault.ts';
import { makeFolders } from '../process/files.ts';

export function makePrivateFolder(path: string): void {
  makeFolders(path, 0o700);
}

/** Makes the entries of a folder survive a power cut. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    naming(path, () => fsyncSync(folder));
  } finally {
    closeSync(folder);
  }
}
