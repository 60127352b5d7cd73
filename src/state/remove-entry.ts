/**
 * Takes away what an agent may hold, or exchange for something else meanwhile. Nothing of it is gone through: a folder that
 * has become a link would lead a removal elsewhere, and node's `rmSync` may do that even for one file.
 */
import { randomUUID } from 'node:crypto';
import { renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { errnoOf } from '../core/error.ts';

/** So often it may become something else while we look. */
const TRIES = 10;

/** Nothing of this name is there afterwards: a folder that is not empty is put aside, beside where it was. */
export function removeEntry(path: string): void {
  for (let tries = 1; ; tries++) {
    try {
      if (isRemoved(path)) return;
      renameSync(path, `${path}.aside-${randomUUID()}`);
      return;
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'ENOENT') return;
      if (code !== 'ENOTDIR' || tries === TRIES) throw error;
    }
  }
}

/** False for a folder that is not empty. */
function isRemoved(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    // Of a folder: Linux says the first, macOS the second.
    if (!['EISDIR', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
  }
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
    return false;
  }
}
