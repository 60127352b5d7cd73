/** The lock of a work tree: two loops in one directory would undo each other's work. */
import { join } from 'node:path';
import { digestOf } from '../core/text/digest.ts';
import type { StateRoot } from './paths.ts';

export function workTreeLock(root: StateRoot, cwd: string): string {
  return join(root.path, 'locks', digestOf(cwd));
}
