/** Keeps our files out of commits without `.gitignore`. Where an agent has bent the repository, nothing is written. */
import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { believedGit } from '../state/git-place.ts';
import { appendPlain, type HeldOptions } from '../state/held-folder.ts';
import { readPlain } from '../state/plain-file.ts';

export function excludeFromGit(cwd: string, pattern: string): void {
  try {
    const git = believedGit(realpathSync(cwd));
    // For a worktree, that of the main repository.
    if (git !== null) addPatterns(join(git.commonFolder, 'info', 'exclude'), [[pattern]], { makes: true });
  } catch {
    // The files are seen by git then, and that is all.
  }
}

/** Each with the comment before it. False where it is no plain file, which is left as it is: git obeys none that is a link. */
export function addPatterns(path: string, patterns: readonly (readonly string[])[], options?: HeldOptions): boolean {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const present = isThere ? readPlain(path) : '';
  if (present === null) return false;
  const lines = present.split('\n').map((line) => line.trim());
  const missing = patterns.filter((one) => !lines.includes(one.at(-1) ?? '')).flat();
  const gap = present === '' || present.endsWith('\n') ? '' : '\n';
  if (missing.length > 0) appendPlain(path, `${gap}${missing.join('\n')}\n`, options);
  return true;
}
