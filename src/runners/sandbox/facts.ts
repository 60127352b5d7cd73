/** Looks at the machine and the work tree for what a sandbox's policy is worked out from. */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { digestOf } from '../../core/digest.ts';
import type { GitPlace, PolicyFacts } from './policy.ts';
import { realOf } from './real-path.ts';

export interface SandboxPlace {
  /** Names the loop on this machine. */
  readonly loop: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stateRoot: string;
  /** The agent's command. */
  readonly agent: string;
  /** Of a loop that calls more than one. */
  readonly otherAgents?: readonly string[] | undefined;
}

export function agentsOf({ agent, otherAgents = [] }: Pick<SandboxPlace, 'agent' | 'otherAgents'>): string[] {
  return [...new Set([agent, ...otherAgents])];
}

export function policyFacts(place: SandboxPlace): PolicyFacts {
  const { loop, cwd, env, stateRoot } = place;
  const home = env.HOME || '/';
  const workspace = realpathSync(cwd);
  const git = believed(findGit(workspace));
  return {
    workspace,
    home,
    stateRoot,
    // A socket lies in it, whose whole path may have 108 bytes.
    temp: join(realpathSync(tmpdir()), `ralph-${digestOf(loop)}`),
    caches: join(env.XDG_CACHE_HOME || join(home, '.cache'), 'ralph/sandbox', digestOf(workspace)),
    agents: agentsOf(place).map((agent) => basename(agent)),
    git,
    otherWorktrees: git === null ? [] : otherWorktrees(git),
    env,
    guardsNames: process.platform === 'darwin',
    exists: existsSync,
    real: realOf,
  };
}

function otherWorktrees({ gitFolder, commonFolder }: GitPlace): string[] {
  const folder = join(commonFolder, 'worktrees');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => join(folder, name)).filter((path) => path !== gitFolder);
}

/** Without git: what is looked for decides what git may do. */
export function findGit(workspace: string): GitPlace | null {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    if (existsSync(entry)) return gitPlace(entry);
    if (folder === dirname(folder)) return null;
  }
}

/**
 * Where a repository lies is written in the work tree, where an agent of an earlier loop was: a place elsewhere is believed
 * only if it names this work tree itself.
 */
function believed(git: GitPlace | null): GitPlace | null {
  if (git === null) return null;
  const { entry, gitFolder, commonFolder } = git;
  if (gitFolder === entry) return { entry, gitFolder, commonFolder: entry };
  const isWorktree =
    textOf(join(gitFolder, 'gitdir')) === entry && resolve(gitFolder, '../..') === resolve(commonFolder);
  const [, named] = /^\s*worktree = (.+)$/m.exec(textOf(join(gitFolder, 'config'))) ?? [];
  const isSubmodule = named !== undefined && resolve(gitFolder, named) === dirname(entry) && commonFolder === gitFolder;
  return isWorktree || isSubmodule ? git : null;
}

/** The file that makes git go on to another repository, where no git puts it: in one that has its own. Null for none. */
export function plantedCommondir(workspace: string): string | null {
  const git = findGit(workspace);
  if (git === null) return null;
  const { entry, gitFolder, commonFolder } = git;
  const file = join(entry === gitFolder ? entry : commonFolder, 'commondir');
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? null : file;
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

function gitPlace(entry: string): GitPlace | null {
  if (statSync(entry).isDirectory()) return { entry, gitFolder: entry, commonFolder: commonOf(entry) };
  const pointed = /^gitdir: (.+)$/m.exec(readFileSync(entry, 'utf8'))?.[1];
  if (pointed === undefined) return null;
  const gitFolder = resolve(dirname(entry), pointed);
  return { entry, gitFolder, commonFolder: commonOf(gitFolder) };
}

function commonOf(gitFolder: string): string {
  const file = join(gitFolder, 'commondir');
  return existsSync(file) ? resolve(gitFolder, readFileSync(file, 'utf8').trim()) : gitFolder;
}
