/** Finds the root of the repository that a folder lies in, if that is another folder. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Null at a root, and outside of all repositories. */
export function repositoryAbove(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at === folder ? null : at;
    if (at === dirname(at)) return null;
  }
}
