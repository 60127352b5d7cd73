/** The lock of a work tree: two loops in one directory would undo each other's work. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { StateRoot } from './paths.ts';

export function workTreeLock(root: StateRoot, cwd: string): string {
  return join(root.path, 'locks', createHash('sha256').update(cwd).digest('hex').slice(0, 24));
}
