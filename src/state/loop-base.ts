/** Where a loop begins. Hooks import only `commitIn`, from another file, because hashing is slow to load. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { LoopBase } from '../core/record.ts';
import { readPlain } from '../process/files.ts';
import { commitIn } from './git-place.ts';

/** `pinned`: the files that decide how work is judged. A missing file is pinned as absent: creating it is a change. */
export function baseOf(cwd: string, pinned: readonly string[] = []): LoopBase {
  const pins = Object.fromEntries(pinned.map((path) => [path, hashOf(readPlain(resolve(cwd, path)))]));
  return { commit: commitIn(cwd), pins };
}

function hashOf(text: string | null): string | null {
  return text === null ? null : createHash('sha256').update(text).digest('hex');
}
