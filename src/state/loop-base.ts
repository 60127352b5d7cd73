/** What a loop began from, for its first record: the commit, and by hash the files that decide how its work is judged. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { LoopBase } from '../core/record.ts';
import { findGit, type GitPlace } from './git-place.ts';
import { readPlain } from './plain-file.ts';

/** `pinned` are paths in `cwd`; one that is not there is pinned as absent, so that making it later is a change. */
export function baseOf(cwd: string, pinned: readonly string[] = []): LoopBase {
  const git = findGit(cwd);
  const pins = Object.fromEntries(pinned.map((path) => [path, hashOf(readPlain(join(cwd, path)))]));
  return { commit: git === null ? null : headOf(git), pins };
}

function hashOf(text: string | null): string | null {
  return text === null ? null : createHash('sha256').update(text).digest('hex');
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Without git, which would run whatever a repository's settings name. Null where there is no commit yet. */
function headOf({ gitFolder, commonFolder }: GitPlace): string | null {
  const head = textOf(join(gitFolder, 'HEAD'));
  const [, ref] = /^ref: (refs\/\S+)$/.exec(head) ?? [];
  if (ref === undefined) return COMMIT.test(head) ? head : null;
  const loose = textOf(join(commonFolder, ref));
  if (COMMIT.test(loose)) return loose;
  const packed = textOf(join(commonFolder, 'packed-refs')).split('\n');
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? null;
}

function textOf(path: string): string {
  return readPlain(path)?.trim() ?? '';
}
