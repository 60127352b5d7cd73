/**
 * What a work tree looks like, in a few letters: another print means that something in it was changed. Null where git
 * cannot tell. Asked only where the host does not say what its agent has done.
 */
import { digestOf } from '../../core/text/digest.ts';
import { askGit } from './ask-git.ts';

export function treeFingerprint(cwd: string): string | null {
  const status = askGit(cwd, 'status', '--porcelain');
  if (status === null) return null;
  const changes = askGit(cwd, 'diff', 'HEAD') ?? askGit(cwd, 'diff') ?? '';
  return digestOf([askGit(cwd, 'rev-parse', 'HEAD') ?? '', status, changes].join('\n'));
}
