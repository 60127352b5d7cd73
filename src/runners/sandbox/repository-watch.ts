/**
 * Tells whether a repository is still the one that a loop began in. git obeys what stands in its settings: once somebody
 * inside the sandbox has changed them, or has exchanged the whole, nothing that reads it may run outside.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findGit } from './facts.ts';
import type { GitPlace } from './policy.ts';

interface Began {
  readonly git: GitPlace | null;
  readonly settings: string;
}

/** `folder` is the loop's own: what a resumed loop finds in the repository may be the agent's. */
export function repositoryWatch(folder: string, workspace: string): () => string | null {
  const began = beganWith(join(folder, 'repository.json'), workspace);
  return () => {
    const now = look(workspace);
    if (now.git === null || !isDeepStrictEqual(now.git, began.git)) {
      return 'the repository is not the one that the loop began in';
    }
    return now.settings === began.settings ? null : "git's settings have changed since the loop began";
  };
}

function beganWith(file: string, workspace: string): Began {
  // Our own file: its writer is the type's.
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Began;
  const began = look(workspace);
  writeFileSync(file, JSON.stringify(began), { mode: 0o600 });
  return began;
}

function look(workspace: string): Began {
  const git = findGit(workspace);
  return { git, settings: git === null ? '' : settingsOf(git) };
}

function settingsOf({ gitFolder, commonFolder }: GitPlace): string {
  const files = [gitFolder, commonFolder].flatMap((folder) => [
    join(folder, 'config'),
    join(folder, 'config.worktree'),
  ]);
  return files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('\0');
}
