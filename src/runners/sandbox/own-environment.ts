/**
 * The environment of our own programs that run outside the sandbox. They are not looked for where an agent could plant
 * one, and get no variable that names code to be run at every start (like Yarn's `NODE_OPTIONS`), because the agent may
 * be able to write that code. Once git's settings have changed, nothing that reads the repository runs outside.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ifThere, readPlainBytes, realPath, realPathSoFar, writeFile } from '../../process/files.ts';
import { findGit, type GitPlace } from '../../state/git-place.ts';
import { gitPaths } from './facts.ts';
import { isUnder, type SandboxPolicy } from './policy.ts';

type Writable = Pick<SandboxPolicy, 'writable' | 'readOnly'>;

const PATHS = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];
/** What node and the loader run at their start. Our programs need none of it. */
const RUN_AT_START = ['NODE_OPTIONS', 'NODE_PATH', 'LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES'];
/** The same for shells. A loop may set one of these for each program: they are removed around it. */
export const RUN_BY_SHELLS = ['BASH_ENV', 'ENV'];
/** What git runs when it talks to other machines. */
const RUN_BY_GIT = ['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'SSH_ASKPASS', 'GIT_EXEC_PATH', 'GIT_PROXY_COMMAND'];

/** `undefined` removes a variable. What programs inside get instead is passed under another name. */
export function ownEnvironment(given: NodeJS.ProcessEnv, policy: Writable): Record<string, string | undefined> {
  const env: NodeJS.ProcessEnv = { ...given, ...takeInside({ ...given }) };
  const changes: Record<string, string | undefined> = {};
  for (const name of [...PATHS, ...RUN_AT_START]) {
    const value = env[name];
    if (value === undefined) continue;
    changes[`${INSIDE}${name}`] = value;
    changes[name] = PATHS.includes(name) ? ownPath(value, policy) : undefined;
  }
  return changes;
}

/** Why git must not run outside: the agent can write what git would start. Null if there is no such thing. */
export function gitRunsPlanted(env: NodeJS.ProcessEnv, cwd: string, policy: Writable): string | null {
  for (const name of RUN_BY_GIT) {
    const paths = (env[name] ?? '').split(/[\s"'=]+/).filter((word) => word.includes('/'));
    const planted = paths.find((path) => mayWrite(policy, resolve(cwd, path)));
    if (planted !== undefined) return `${name} names ${planted}, which the agent can write`;
  }
  return null;
}

/** The PATH without relative folders, and without those that can be written from inside. */
export function ownPath(path: string, policy: Writable): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !mayWrite(policy, resolve(folder)))
    .join(delimiter);
}

/** For when there is no policy yet: every policy lets the agent write the work tree. */
export function pathOutsideOf(workspace: string, { PATH = '' }: NodeJS.ProcessEnv): string {
  return ownPath(PATH, { writable: [realPathSoFar(workspace)], readOnly: [] });
}

/** The folders of the programs that our command line starts: node's, and this program's. */
export function installedAt(self: readonly string[]): string[] {
  const files = self.filter((word) => isAbsolute(word) && existsSync(word));
  return files.map((path) => join(realPath(path), '../..'));
}

/** Checks the path's own name, and what it leads to. */
export function mayWrite({ writable, readOnly }: Writable, path: string): boolean {
  const real = realPathSoFar(path);
  return (
    writable.some((folder) => isUnder(real, folder) || isUnder(path, folder)) &&
    !readOnly.some((folder) => isUnder(real, folder) && isUnder(path, folder))
  );
}

/** Where a loop keeps what its programs have planted, for a person to read. */
export function quarantineFolder(loopFolder: string): string {
  return join(loopFolder, 'put-aside');
}

/** Precedes the name of a variable that is for the program, and not for the processes around it. */
export const INSIDE = 'RALPH_INSIDE_';
const NAME = new RegExp(`^${INSIDE}([A-Za-z_]\\w*)$`);

export function takeInside(env: NodeJS.ProcessEnv): Record<string, string> {
  const taken: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const [, own] = NAME.exec(name) ?? [];
    if (own === undefined) continue;
    if (value !== undefined) taken[own] = value;
    delete env[name];
  }
  return taken;
}

/**
 * Why the repository is not the loop's any more; null while it is. `folder`, where no agent writes, keeps what it was.
 */
export function repositoryWatch(folder: string, workspace: string, env: NodeJS.ProcessEnv): () => string | null {
  const file = join(folder, 'repository.json');
  const kept = ifThere(() => readFileSync(file, 'utf8'));
  const began = kept === null ? look(workspace, env) : parsedLook(kept);
  if (kept === null) writeFile(file, JSON.stringify(began), { mode: 0o600 });
  return () => {
    const now = look(workspace, env);
    if (now.git === null || !isDeepStrictEqual(now.git, began.git)) {
      return 'the repository is not the one that the loop began in';
    }
    if (now.settings !== began.settings) return "git's settings have changed since the loop began";
    return now.trustedConfig === began.trustedConfig
      ? null
      : "the repository's hooks or settings have changed since the loop began";
  };
}

function look(workspace: string, env: NodeJS.ProcessEnv) {
  const git = findGit(workspace);
  if (git === null) return { git, settings: '', trustedConfig: '' };
  return { git, settings: settingsOf(workspace, env), trustedConfig: configDigest(git) };
}

/** Our own file, so the cast is safe. The release before this one called the last field `obeyed`. */
function parsedLook(kept: string): ReturnType<typeof look> {
  type Earlier = Omit<ReturnType<typeof look>, 'trustedConfig'> & { trustedConfig?: string; obeyed?: string };
  const { obeyed = '', trustedConfig = obeyed, ...found } = JSON.parse(kept) as Earlier;
  return { ...found, trustedConfig };
}

/** For a worktree, includes what git would obey in the repository that it belongs to. */
function configDigest(git: GitPlace): string {
  const hooks = join(git.commonFolder, 'hooks');
  const names = existsSync(hooks) ? readdirSync(hooks).sort() : [];
  const settings = gitPaths(git).trustedConfig.filter((path) => basename(path) !== 'hooks');
  const files = [...settings, ...names.map((name) => join(hooks, name))];
  const hash = createHash('sha256');
  for (const file of files) {
    const digest = createHash('sha256').update(readPlainBytes(file) ?? 'none');
    hash.update(`${file}\0${digest.digest('hex')}\0`);
  }
  return hash.digest('hex');
}

/** With everything that they include, which may be in the work tree. Listing them runs nothing that they name. */
function settingsOf(cwd: string, env: NodeJS.ProcessEnv): string {
  try {
    const listed = execFileSync('git', ['config', '--list', '--includes', '-z'], { cwd, env, stdio: 'pipe' });
    // They can contain a password.
    return createHash('sha256').update(listed).digest('hex');
  } catch (error) {
    return `unreadable: ${error instanceof Error ? error.message : String(error)}`;
  }
}
