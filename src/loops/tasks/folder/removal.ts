/** Removes folders of tasks and runs, and nothing else: a link on the way there would lead the removal elsewhere. */
import { realpathSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';

/** Links inside are removed, not followed. */
export function removeFolder(root: string, folder: string): void {
  checkInside(root, folder);
  try {
    rmSync(folder, { recursive: true });
  } catch (error) {
    throw new RalphError('REMOVE', `cannot delete ${folder}: ${errnoOf(error) ?? String(error)}`, { exitCode: 1 });
  }
}

/** Where the folder really lies must be where its name says, below the root. */
export function checkInside(root: string, folder: string): void {
  const way = relative(root, folder);
  const isBelow = way !== '' && !way.startsWith('..');
  if (isBelow && realOf(folder) === join(realOf(root), way)) return;
  throw new RalphError('REMOVE', `will not delete ${folder}: a link leads out of ${root}`, {
    hint: 'Remove it by hand, if that is meant.',
    exitCode: 1,
  });
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new RalphError('REMOVE', `cannot delete ${path}: ${errnoOf(error) ?? String(error)}`, { exitCode: 1 });
  }
}
