/** The agent may have gone from one worktree of a repository into another; its work is there, and so are the checks of it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { askGit } from './ask-git.ts';

/**
 * The place in the worktree of `now` that `begun` is in its own; null where both are the same one, or not of one repository:
 * a folder inside of it, or somewhere else altogether, is not where the work belongs.
 */
export function placeInWorktree(begun: string, now: string): string | null {
  if (now === begun || now === '') return null;
  const [before, after] = [worktreeOf(begun), worktreeOf(now)];
  if (before === null || after === null) return null;
  if (before.repository !== after.repository || before.top === after.top) return null;
  const place = resolve(after.top, before.inside);
  return existsSync(place) ? place : after.top;
}

function worktreeOf(folder: string): { top: string; repository: string; inside: string } | null {
  const asked = ['--path-format=absolute', '--show-toplevel', '--git-common-dir', '--show-prefix'];
  const [top = '', repository = '', inside = ''] = askGit(folder, 'rev-parse', ...asked)?.split('\n') ?? [];
  return top === '' || repository === '' ? null : { top, repository, inside };
}
