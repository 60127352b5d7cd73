/** Is a task's loop being turned? Also between two runs, when none of its agents lives. */
import { realpathSync } from 'node:fs';
import { thisMachine } from '../../../process/identity/identity.ts';
import { isLocked } from '../../../state/lock.ts';
import type { StateRoot } from '../../../state/paths.ts';
import { workTreeLock } from '../../../state/work-tree-lock.ts';

/** The loop may know the folder by its real name, where we came by a link, or the other way round. */
export function isLooping(folder: string, root: StateRoot): boolean {
  const place = thisMachine();
  return [folder, realOf(folder)].some((path) => isLocked(workTreeLock(root, path), place));
}

/** Where a folder lies that may be known by a link. */
export function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Not there: it is called what it is called.
    return folder;
  }
}
