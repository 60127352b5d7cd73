/** What a sandboxed loop may do. Computed once, when the loop begins: nothing that the agent writes can widen it. */
import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { RalphError } from '../../core/error.ts';
import {
  agentFolders,
  gitPaths,
  LEADS_TO_KEYS,
  type PolicyFacts,
  SECRETS,
  SYSTEM_SECRETS,
  trustedConfigIn,
  trustedConfigPaths,
} from './facts.ts';
import { checkedHost, ecosystemHosts, environmentHosts, type SandboxOverrides } from './request.ts';

export interface SandboxPolicy {
  readonly workspace: string;
  /** What the loop works on: the work tree, and what git keeps for it, which can be elsewhere. */
  readonly work: readonly string[];
  readonly writable: readonly string[];
  /** Names that lead to one of these by a link: if one leads elsewhere, no program is started. */
  readonly links: readonly string[];
  /** Within the writable paths. */
  readonly readOnly: readonly string[];
  /** Paths that should be read-only but do not exist, by their real paths: whatever appears there is quarantined. */
  readonly vacant: readonly string[];
  /**
   * Paths that should be read-only and are created, since only an existing path can be protected. Empty, they do
   * nothing.
   */
  readonly placeholders: readonly ReturnType<typeof placeholder>[];
  readonly unreadable: readonly string[];
  /** Within the hidden paths, but visible. */
  readonly shown: readonly string[];
  readonly hosts: readonly string[];
  readonly made: readonly string[];
  /** Paths, or prefixes of paths, whose refusal is not reported. */
  readonly quiet: readonly string[];
  /** For the programs inside; null removes a variable. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Private to the loop, and removed with it. */
  readonly temp: string;
}

export interface LoopPolicy extends SandboxPolicy {
  /**
   * For the runtime's sockets and our scripts, which processes outside obey: read-only inside, removed with the loop.
   */
  readonly runtime: string;
}

/** Folders of the harness that the agents of a loop kind also need. They exist when the sandbox is made. */
export interface LoopPaths extends Pick<SandboxPolicy, 'writable' | 'readOnly' | 'shown'> {
  /** Folders that contain one of these are not hidden at all. */
  readonly unhidden?: readonly string[];
  /** What a virtual machine must share in addition to the work tree. */
  readonly shared: readonly string[];
}

export function sandboxPolicy(facts: PolicyFacts, overrides: SandboxOverrides): SandboxPolicy {
  const { workspace, home, temp, caches, access, env, exists } = facts;
  const at = (path: string): string => pathFrom(path, workspace, home);
  const own = agentFolders(access, home, env);
  const git = gitPaths(facts.git);
  const allowed = overrides.allowWrite.map(at);
  const made = [...own.writable, caches, temp];
  const given = unique([...[workspace, ...git.writable, ...allowed].filter(exists), ...made]);
  const { writable, leads } = followed(given, allowed, facts);
  const allowedToo = leads.filter(({ path }) => allowed.includes(path)).map(({ leadsTo }) => leadsTo);
  const notAllowed = (path: string): boolean => !allowed.includes(path) && !allowedToo.includes(path);
  const standing = [join(workspace, '.ralph'), ...git.placeholders, ...own.readOnly].filter(notAllowed);
  const willBe = (folder: string): boolean => exists(folder) || made.includes(folder);
  const missing = standing.filter((path) => !exists(path) && willBe(dirname(path)));
  const trustedConfig = [
    ...trustedConfigPaths(access.projectConfig).map((path) => join(workspace, path)),
    ...own.watched,
    ...git.trustedConfig,
    ...facts.submodules.flatMap(trustedConfigIn),
    ...facts.submoduleEntries,
    ...facts.otherWorktrees,
    // If the work tree is the home folder, the agent could otherwise write the settings of all later loops.
    ...[userSettings(home, env)].filter((path) =>
      writable.some((folder) => isUnder(path, folder) || isUnder(facts.real(path), folder)),
    ),
  ];
  const guarded = [...standing, ...trustedConfig.filter(notAllowed), ...overrides.denyWrite.map(at)];
  const isThere = (path: string): boolean => exists(path) || missing.includes(path);
  // A name that leads out of the writable paths cannot be created from inside.
  const vacant = unique(guarded.filter((path) => !isThere(path)).map(facts.real)).filter((path) =>
    writable.some((folder) => isUnder(path, folder)),
  );
  const secretsIn = (folder: string): string[] => SECRETS.map((path) => join(folder, path));
  // The user's settings contain the tokens of notification receivers.
  const unreadable = [...secretsIn(home), userSettings(home, env), ...overrides.denyRead.map(at)];
  const others = [...SYSTEM_SECRETS, ...facts.otherHomes.flatMap(secretsIn)];
  return {
    workspace,
    work: unique([workspace, ...git.writable.filter(exists)].flatMap((path) => [path, facts.follow(path).leadsTo])),
    writable,
    links: leads.map(({ path }) => path),
    readOnly: unique(facts.guardsNames ? guarded : guarded.filter(isThere)),
    // Even on a system that guards names: on a case-insensitive disk, one file has several.
    vacant,
    placeholders: missing.map(placeholder),
    // Only what exists can be hidden. The state root does: this loop is in it.
    unreadable: unique([...unreadable.filter(exists), facts.stateRoot, ...others.filter(exists)]),
    shown: [],
    hosts: unique([
      ...access.agents.flatMap(({ hosts = [] }) => hosts),
      ...ecosystemHosts((file) => exists(join(workspace, file))),
      ...environmentHosts(env, access.baseUrls),
      ...overrides.allowHosts.map(checkedHost),
    ]),
    env: {
      ...cacheVariables(caches),
      TMPDIR: temp,
      CLAUDE_CODE_TMPDIR: temp,
      // Where zsh puts here-documents.
      TMPPREFIX: join(temp, 'zsh'),
      ...Object.fromEntries(LEADS_TO_KEYS.filter((name) => env[name] !== undefined).map((name) => [name, null])),
      IS_SANDBOX: '1',
    },
    made,
    quiet: own.quiet,
    temp,
  };
}

/**
 * Where the links on the way to writable paths lead: the runtime mounts no links. A link in a place that the agent can
 * write is not followed, because an earlier loop's agent could have created it to widen this one.
 */
function followed(given: readonly string[], allowed: readonly string[], { follow }: PolicyFacts) {
  const walks = given.map((path) => ({ path, ...follow(path) }));
  const open = walks.flatMap(({ path, leadsTo }) => [path, leadsTo]);
  const isAgents = (link: string): boolean => open.some((folder) => isUnder(dirname(link), folder));
  const stays = walks.filter(({ links }) => links.some(isAgents));
  const leads = walks.filter((walk) => walk.path !== walk.leadsTo && !stays.includes(walk));
  const writable = unique(walks.map((walk) => (leads.includes(walk) ? walk.leadsTo : walk.path)));
  const widening = stays.find(
    ({ path, leadsTo }) => allowed.includes(path) && !writable.some((folder) => isUnder(leadsTo, folder)),
  );
  if (widening !== undefined) throw agentsLink(widening.path, widening.leadsTo);
  return { writable, leads };
}

function agentsLink(path: string, target: string): RalphError {
  const fact = `${path} should be writable, but leads to ${target} through a link that the agent could have created`;
  return new RalphError('SANDBOX', fact, { hint: `If it may write there, allow that path itself: ${target}` });
}

/** Where ralph itself reads the user's settings. */
const userSettings = (home: string, { XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string =>
  join(XDG_CONFIG_HOME || join(home, '.config'), 'ralph/settings.json');

/** The policy of a loop of this kind. What the user allows by its own name is not made read-only again. */
export function withLoopPaths(policy: SandboxPolicy, loopPaths: LoopPaths | undefined): SandboxPolicy {
  if (loopPaths === undefined) return policy;
  const { writable, readOnly, shown, unhidden = [] } = loopPaths;
  return {
    ...policy,
    unreadable: policy.unreadable.filter((path) => !unhidden.some((one) => isUnder(one, path))),
    writable: unique([...policy.writable, ...writable]),
    readOnly: unique([...policy.readOnly, ...readOnly.filter((path) => !policy.writable.includes(path))]),
    shown: unique([...policy.shown, ...writable, ...shown]),
  };
}

/** For a program that must not change the work. An agent's own folders stay writable wherever they are. */
export function readingPolicy<Kind extends SandboxPolicy>(policy: Kind): Kind {
  const { work, made, unreadable } = policy;
  const isIn = (path: string, folders: readonly string[]): boolean => folders.some((folder) => isUnder(path, folder));
  const writable = policy.writable.filter((path) => made.includes(path) || !isIn(path, work));
  const hidden = work.filter((path) => isIn(path, unreadable));
  return {
    ...policy,
    writable,
    readOnly: unique([...policy.readOnly, ...work]).filter((path) => isIn(path, writable)),
    // As long as it was writable, it was visible even within a hidden folder.
    shown: unique([...policy.shown, ...hidden]),
    // Allowing it would not help.
    quiet: [...policy.quiet, ...work.map((path) => `${path}/`)],
  };
}

export function withTemp(policy: SandboxPolicy, temp: string): SandboxPolicy {
  const moved = (path: string): string =>
    isUnder(path, policy.temp) ? `${temp}${path.slice(policy.temp.length)}` : path;
  const env = { ...policy.env };
  for (const [name, value] of Object.entries(env)) env[name] = value === null ? null : moved(value);
  const { writable, made } = policy;
  return { ...policy, writable: writable.map(moved), made: made.map(moved), env, temp };
}

/** The folder around it is hidden from every loop: it also holds those of the other loops. */
export function withRuntime(policy: SandboxPolicy, runtime: string): LoopPolicy {
  return {
    ...policy,
    unreadable: unique([...policy.unreadable, dirname(runtime)]),
    shown: unique([...policy.shown, runtime]),
    runtime,
  };
}

/**
 * The first folder around which nothing can be exchanged: nothing there is writable, or it is a mount itself. The
 * latter does not stop an ordinary user's program, which can exchange what is in it from namespaces of its own.
 */
export function guardedPlace(folders: readonly string[], writable: readonly string[]): string | null {
  return folders.find((folder) => writable.every((path) => path === folder || !isUnder(folder, path))) ?? null;
}

/**
 * The writable paths that are mounted. Not a folder deeper in another one, which is writable with that one: on the way
 * to it, a program could replace a folder by a link just before the next sandbox mounts what that leads to. A folder
 * directly in another one is mounted nevertheless, because a mount cannot be renamed: otherwise an agent could move
 * `.git` away and make another, with hooks. From namespaces of its own, an ordinary user's program can still rename it;
 * what is mounted then is checked from inside (`mount-check.ts`).
 */
export function mounted({ writable, unreadable }: Pick<SandboxPolicy, 'writable' | 'unreadable'>): string[] {
  const isOpenWith = (path: string, other: string): boolean =>
    path !== other && isUnder(path, other) && dirname(path) !== other;
  const isHidden = (path: string): boolean => unreadable.some((folder) => isUnder(path, folder));
  return writable.filter((path) => isHidden(path) || !writable.some((other) => isOpenWith(path, other)));
}

/** As people write them: absolute, or relative to the home folder (`~/`) or the work tree. */
function pathFrom(path: string, workspace: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? resolve(path) : resolve(workspace, path);
}

/** Without content it is a folder. */
function placeholder(path: string): { readonly path: string; readonly content: string | null } {
  if (extname(path) === '') return { path, content: null };
  return { path, content: extname(path) === '.json' ? '{}\n' : '' };
}

/** Caches of their own: a program could poison the user's package caches for everything else that the user builds. */
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

export function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
}

function unique(all: readonly string[]): string[] {
  return [...new Set(all)];
}

export function describePolicy({ writable, readOnly, vacant, unreadable, hosts, temp }: SandboxPolicy): string[] {
  const named = writable.map((path) => (path === temp ? 'a temporary folder of its own' : path));
  return [
    ...section('may be written', named),
    ...section('may be read only, within that', readOnly),
    ...section('is moved to quarantine if it appears', vacant),
    ...section('is hidden', unreadable),
    ...section('may be reached', hosts),
  ];
}

export function section(title: string, lines: readonly string[]): string[] {
  return [`  ${title}:`, ...(lines.length === 0 ? ['    nothing'] : lines.map((line) => `    ${line}`))];
}
