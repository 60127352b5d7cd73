/** Keeps our files out of commits without `.gitignore`. Where an agent has bent the repository, nothing is written. */
import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { believedGit } from '../state/git-place.ts';
import { appendPlain } from '../state/held-folder.ts';
import { readPlain } from '../state/plain-file.ts';

export function excludeFromGit(cwd: string, pattern: string): void {
  try {
    exclude(realpathSync(cwd), pattern);
  } catch {
    // The files are seen by git then, and that is all.
  }
}

function exclude(cwd: string, pattern: string): void {
  const git = believedGit(cwd);
  if (git === null) return;
  // For a worktree, that of the main repository.
  const path = join(git.commonFolder, 'info', 'exclude');
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const present = isThere ? readPlain(path) : '';
  if (present === null || present.split('\n').includes(pattern)) return;
  appendPlain(path, `${present === '' || present.endsWith('\n') ? '' : '\n'}${pattern}\n`, { makes: true });
}
