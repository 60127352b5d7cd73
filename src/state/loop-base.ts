/** Where a loop begins. Apart from the commit, which hooks ask for, too: they do without what hashing takes to load. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { LoopBase } from '../core/record.ts';
import { readPlain } from '../process/files.ts';
import { commitIn } from './git-place.ts';

/** `pinned`: what decides how work is judged. A path that is not there is pinned as absent: making it is a change. */
export function baseOf(cwd: string, pinned: readonly string[] = []): LoopBase {
  const pins = Object.fromEntries(pinned.map((path) => [path, hashOf(readPlain(resolve(cwd, path)))]));
  return { commit: commitIn(cwd), pins };
}

function hashOf(text: string | null): string | null {
  return text === null ? null : createHash('sha256').update(text).digest('hex');
}
