/**
 * Tells whether a repository is still the one that a loop began in. git obeys its settings: once a program inside the
 * sandbox has changed them, or exchanged the whole, nothing that reads the repository may run outside.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { writeFile } from '../../process/files.ts';
import { findGit, type GitPlace } from '../../state/git-place.ts';
import { readPlainBytes } from '../../state/plain-file.ts';

interface Watched {
  /** The loop's own folder: what a resumed loop finds in the repository may be the agent's. */
  readonly folder: string;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
}

interface Began {
  readonly git: GitPlace | null;
  readonly settings: string;
  /** What git obeys in the repository itself: of a worktree, also what it would in the repository that it belongs to. */
  readonly obeyed: string;
}

/** In a repository, and in what git keeps for a worktree. */
const OBEYED = ['config', 'config.worktree', 'commondir', 'gitdir'];

export function repositoryWatch({ folder, workspace, env }: Watched): () => string | null {
  const began = beganWith(join(folder, 'repository.json'), () => look(workspace, env));
  return () => {
    const now = look(workspace, env);
    if (now.git === null || !isDeepStrictEqual(now.git, began.git)) {
      return 'the repository is not the one that the loop began in';
    }
    if (now.settings !== began.settings) return "git's settings have changed since the loop began";
    return now.obeyed === began.obeyed ? null : "the repository's hooks or settings have changed since the loop began";
  };
}

function beganWith(file: string, lookNow: () => Began): Began {
  // Our own file: its writer is the type's.
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Began;
  const began = lookNow();
  writeFile(file, JSON.stringify(began), { mode: 0o600 });
  return began;
}

function look(workspace: string, env: NodeJS.ProcessEnv): Began {
  const git = findGit(workspace);
  return git === null
    ? { git, settings: '', obeyed: '' }
    : { git, settings: settingsOf(workspace, env), obeyed: obeyedIn(git) };
}

function obeyedIn({ entry, gitFolder, commonFolder }: GitPlace): string {
  const hooks = join(commonFolder, 'hooks');
  const names = existsSync(hooks) ? readdirSync(hooks).sort() : [];
  const files = [
    ...(entry === gitFolder ? [] : [entry]),
    ...[gitFolder, commonFolder].flatMap((folder) => OBEYED.map((name) => join(folder, name))),
    ...names.map((name) => join(hooks, name)),
  ];
  const hash = createHash('sha256');
  for (const file of files) {
    const digest = createHash('sha256').update(readPlainBytes(file) ?? 'none');
    hash.update(`${file}\0${digest.digest('hex')}\0`);
  }
  return hash.digest('hex');
}

/** With all that they include, which may lie in the work tree. To list them runs nothing that they name. */
function settingsOf(cwd: string, env: NodeJS.ProcessEnv): string {
  try {
    const listed = execFileSync('git', ['config', '--list', '--includes', '-z'], { cwd, env, stdio: 'pipe' });
    // They may hold a password.
    return createHash('sha256').update(listed).digest('hex');
  } catch (error) {
    return `unreadable: ${error instanceof Error ? error.message : String(error)}`;
  }
}
