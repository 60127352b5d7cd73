/** What a sandboxed loop may do. It is worked out once, when the loop begins: nothing that the agent writes can widen it. */
import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import type { AgentsAccess } from '../../core/agent-access.ts';
import type { GitPlace } from '../../state/git-place.ts';
import {
  agentFolders,
  gitFolders,
  LEADS_TO_KEYS,
  obeyedByGit,
  obeyedIn,
  SECRETS,
  SYSTEM_SECRETS,
  standingInGit,
  trustedConfigPaths,
} from './guarded-paths.ts';
import { checkedHost, ecosystemHosts, environmentHosts } from './hosts.ts';
import type { SandboxWish } from './request.ts';

export interface SandboxPolicy {
  readonly workspace: string;
  readonly writable: readonly string[];
  /** Within what may be written. */
  readonly readOnly: readonly string[];
  /** What would be kept so and is not there, by its real path: whatever appears is put aside. */
  readonly vacant: readonly string[];
  /** What would be kept so, is not there, and is made: empty it means nothing, and what is there can be kept. */
  readonly standIns: readonly StandIn[];
  readonly unreadable: readonly string[];
  /** Within what is hidden, and seen all the same. */
  readonly shown: readonly string[];
  readonly hosts: readonly string[];
  /** Folders that are made with the sandbox, where they are missing. */
  readonly made: readonly string[];
  /** Paths, or beginnings of paths, whose refusal is not reported. */
  readonly quiet: readonly string[];
  /** For the programs inside; null takes a variable away. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Private to the loop; gone with it. */
  readonly temp: string;
}

export interface LoopPolicy extends SandboxPolicy {
  /** For the runtime's sockets and our scripts, which processes outside obey: read-only inside, and gone with the loop. */
  readonly runtime: string;
}

export interface StandIn {
  readonly path: string;
  /** Null for a folder. */
  readonly content: string | null;
}

/** Places of the harness's own that the agents of a loop kind need besides. They are there when the sandbox is made. */
export interface LoopPaths {
  readonly writable: readonly string[];
  /** Within what may be written. */
  readonly readOnly: readonly string[];
  /** Read, although it lies in what is hidden. */
  readonly shown: readonly string[];
  /** What is around these is not hidden at all. */
  readonly unhidden?: readonly string[];
  /** What a virtual machine must share besides the work tree. */
  readonly shared: readonly string[];
}

export interface PolicyFacts {
  readonly workspace: string;
  readonly home: string;
  /** Other homes whose files this user may read. */
  readonly otherHomes: readonly string[];
  readonly stateRoot: string;
  readonly temp: string;
  /** For package managers: kept from run to run, apart from the user's own. */
  readonly caches: string;
  readonly access: AgentsAccess;
  readonly git: GitPlace | null;
  /** Of the same repository: what git keeps for each. */
  readonly otherWorktrees: readonly string[];
  /** Their repositories. */
  readonly submodules: readonly string[];
  /** The files in the work tree that lead to those. */
  readonly submoduleEntries: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Does the system keep a name from being made, too? */
  readonly guardsNames: boolean;
  exists(path: string): boolean;
  real(path: string): string;
}

export function sandboxPolicy(facts: PolicyFacts, wish: SandboxWish): SandboxPolicy {
  const {
    workspace,
    home,
    stateRoot,
    temp,
    caches,
    access,
    git,
    otherWorktrees,
    submodules,
    submoduleEntries,
    env,
    exists,
  } = facts;
  const at = (path: string): string => pathFrom(path, workspace, home);
  const own = agentFolders(access, home, env);
  const allowed = wish.allowWrite.map(at);
  const made = [...own.writable, caches, temp];
  const writable = unique([...[workspace, ...gitFolders(git), ...allowed].filter(exists), ...made]);
  const notAllowed = (path: string): boolean => !allowed.includes(path);
  const standing = [join(workspace, '.ralph'), ...standingInGit(git), ...own.readOnly].filter(notAllowed);
  const standIns = standing.filter((path) => !exists(path) && isOrWillBe(dirname(path), facts, made)).map(standIn);
  const denied = wish.denyWrite.map(at);
  const obeyed = [
    ...trustedConfigPaths(access.projectConfig).map((path) => join(workspace, path)),
    ...own.watched,
    ...obeyedByGit(git),
    ...submodules.flatMap(obeyedIn),
    ...submoduleEntries,
    ...otherWorktrees,
  ];
  const guarded = [...standing, ...obeyed.filter(notAllowed), ...denied];
  const isThere = (path: string): boolean => exists(path) || standIns.some((one) => one.path === path);
  const secretsIn = (folder: string): string[] => SECRETS.map((path) => join(folder, path));
  const unreadable = [...secretsIn(home), ...wish.denyRead.map(at)];
  const others = [...SYSTEM_SECRETS, ...facts.otherHomes.flatMap(secretsIn)];
  return {
    workspace,
    writable,
    readOnly: unique(facts.guardsNames ? guarded : guarded.filter(isThere)),
    vacant: facts.guardsNames ? [] : vacantOf(facts, writable, unique(guarded.filter((path) => !isThere(path)))),
    standIns,
    // What is not there cannot be hidden; the state root is: this loop is in it.
    unreadable: unique([...unreadable.filter(exists), stateRoot, ...others.filter(exists)]),
    shown: [],
    hosts: unique([
      ...access.agents.flatMap(({ hosts = [] }) => hosts),
      ...ecosystemHosts((file) => exists(join(workspace, file))),
      ...environmentHosts(env, access.baseUrls),
      ...wish.allowHosts.map(checkedHost),
    ]),
    env: { ...cacheVariables(caches), ...tempVariables(temp), ...taken(env), IS_SANDBOX: '1' },
    made,
    quiet: own.quiet,
    temp,
  };
}

/** The policy of a loop of this kind. What a user allows by its own name is not taken back. */
export function withLoopPaths(policy: SandboxPolicy, loopPaths: LoopPaths): SandboxPolicy {
  const { writable, readOnly, shown, unhidden = [] } = loopPaths;
  return {
    ...policy,
    unreadable: policy.unreadable.filter((path) => !unhidden.some((one) => isUnder(one, path))),
    writable: unique([...policy.writable, ...writable]),
    readOnly: unique([...policy.readOnly, ...readOnly.filter((path) => !policy.writable.includes(path))]),
    shown: unique([...policy.shown, ...writable, ...shown]),
  };
}

/** The same policy for another loop, whose temporary files lie in a folder of its own. */
export function withTemp(policy: SandboxPolicy, temp: string): SandboxPolicy {
  const moved = (path: string): string =>
    isUnder(path, policy.temp) ? `${temp}${path.slice(policy.temp.length)}` : path;
  return {
    ...policy,
    writable: policy.writable.map(moved),
    made: policy.made.map(moved),
    env: Object.fromEntries(
      Object.entries(policy.env).map(([name, value]) => [name, value === null ? null : moved(value)]),
    ),
    temp,
  };
}

/** The folder around it is hidden, from every loop: it holds the same of the others. */
export function withRuntime(policy: SandboxPolicy, runtime: string): LoopPolicy {
  return {
    ...policy,
    unreadable: unique([...policy.unreadable, dirname(runtime)]),
    shown: unique([...policy.shown, runtime]),
    runtime,
  };
}

/**
 * The first of these folders in which one can be guarded: nothing around a mount can be exchanged there. That is so where
 * nothing may be written, and in a folder that is a mount itself because it may be written as a whole.
 */
export function guardedPlace(folders: readonly string[], writable: readonly string[]): string | null {
  return folders.find((folder) => writable.every((path) => path === folder || !isUnder(folder, path))) ?? null;
}

/**
 * What is mounted, of all that may be written. A folder deeper in another is open with that one; on the way to it a
 * program could exchange a folder for a link, just before the next sandbox mounts what that leads to.
 */
export function mounted({ writable, unreadable }: Pick<SandboxPolicy, 'writable' | 'unreadable'>): string[] {
  const isOpenWith = (path: string, other: string): boolean =>
    path !== other && isUnder(path, other) && dirname(path) !== other;
  const isHidden = (path: string): boolean => unreadable.some((folder) => isUnder(path, folder));
  return writable.filter((path) => isHidden(path) || !writable.some((other) => isOpenWith(path, other)));
}

/** As people write them: absolute, from the home folder, from the work tree. */
function pathFrom(path: string, workspace: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? resolve(path) : resolve(workspace, path);
}

function standIn(path: string): StandIn {
  const kind = extname(path);
  return { path, content: kind === '' ? null : kind === '.json' ? '{}\n' : '' };
}

function isOrWillBe(folder: string, { exists }: PolicyFacts, made: readonly string[]): boolean {
  return exists(folder) || made.includes(folder);
}

/** A name that leads out of what may be written is not made from inside. */
function vacantOf({ real }: PolicyFacts, writable: readonly string[], missing: readonly string[]): string[] {
  return unique(missing.map(real)).filter((path) => writable.some((folder) => isUnder(path, folder)));
}

/** A package cache of the user's could be poisoned for everything else that they build. */
function cacheVariables(folder: string): Record<string, string> {
  return {
    npm_config_cache: join(folder, 'npm'),
    YARN_CACHE_FOLDER: join(folder, 'yarn'),
    PIP_CACHE_DIR: join(folder, 'pip'),
    UV_CACHE_DIR: join(folder, 'uv'),
    CARGO_HOME: join(folder, 'cargo'),
    GOCACHE: join(folder, 'go-build'),
    GOMODCACHE: join(folder, 'go-mod'),
  };
}

function tempVariables(temp: string): Record<string, string> {
  // The last is where zsh puts a here-document.
  return { TMPDIR: temp, CLAUDE_CODE_TMPDIR: temp, TMPPREFIX: join(temp, 'zsh') };
}

function taken(env: NodeJS.ProcessEnv): Record<string, null> {
  return Object.fromEntries(LEADS_TO_KEYS.filter((name) => env[name] !== undefined).map((name) => [name, null]));
}

export function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
}

function unique(all: readonly string[]): string[] {
  return [...new Set(all)];
}

export function describePolicy({ writable, readOnly, vacant, unreadable, hosts, temp }: SandboxPolicy): string[] {
  return [
    ...section(
      'may be written',
      writable.map((path) => (path === temp ? 'a temporary folder of its own' : path)),
    ),
    ...section('may be read only, within that', readOnly),
    ...section('is put aside, should it appear', vacant),
    ...section('is hidden', unreadable),
    ...section('may be reached', hosts),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return [`  ${title}:`, ...(lines.length === 0 ? ['    nothing'] : lines.map((line) => `    ${line}`))];
}
