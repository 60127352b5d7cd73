/** What a sandboxed loop may do. It is worked out once, when the loop begins: nothing that the agent writes can widen it. */
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
  /** What the loop works on: the work tree, and what git keeps of it, which may be elsewhere. */
  readonly work: readonly string[];
  readonly writable: readonly string[];
  /** Names that lead to one of these by a link: as long as one leads elsewhere, no program is started. */
  readonly links: readonly string[];
  /** Within what may be written. */
  readonly readOnly: readonly string[];
  /** What would be kept so and is not there, by its real path: whatever appears is quarantined. */
  readonly vacant: readonly string[];
  /** What would be kept so, is not there, and is made: empty it means nothing, and what is there can be kept. */
  readonly placeholders: readonly ReturnType<typeof placeholder>[];
  readonly unreadable: readonly string[];
  /** Within what is hidden, and seen all the same. */
  readonly shown: readonly string[];
  readonly hosts: readonly string[];
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

/** Places of the harness's own that the agents of a loop kind also need. They are there when the sandbox is made. */
export interface LoopPaths extends Pick<SandboxPolicy, 'writable' | 'readOnly' | 'shown'> {
  /** What is around these is not hidden at all. */
  readonly unhidden?: readonly string[];
  /** What a virtual machine must share apart from the work tree. */
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
    // Who works in the home folder would otherwise let the agent write the settings of all later loops.
    ...[userSettings(home, env)].filter((path) =>
      writable.some((folder) => isUnder(path, folder) || isUnder(facts.real(path), folder)),
    ),
  ];
  const guarded = [...standing, ...trustedConfig.filter(notAllowed), ...overrides.denyWrite.map(at)];
  const isThere = (path: string): boolean => exists(path) || missing.includes(path);
  // A name that leads out of what may be written is not made from inside.
  const vacant = unique(guarded.filter((path) => !isThere(path)).map(facts.real)).filter((path) =>
    writable.some((folder) => isUnder(path, folder)),
  );
  const secretsIn = (folder: string): string[] => SECRETS.map((path) => join(folder, path));
  // Their receivers of notifications have tokens.
  const unreadable = [...secretsIn(home), userSettings(home, env), ...overrides.denyRead.map(at)];
  const others = [...SYSTEM_SECRETS, ...facts.otherHomes.flatMap(secretsIn)];
  return {
    workspace,
    work: unique([workspace, ...git.writable.filter(exists)].flatMap((path) => [path, facts.follow(path).leadsTo])),
    writable,
    links: leads.map(({ path }) => path),
    readOnly: unique(facts.guardsNames ? guarded : guarded.filter(isThere)),
    // Also where the system goes by names: a disk that does not tell upper from lower case has more names for one file.
    vacant,
    placeholders: missing.map(placeholder),
    // What is not there cannot be hidden; the state root is: this loop is in it.
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
      // Where zsh puts a here-document.
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
 * Where links lead that stand in the way to what may be written: the runtime mounts none. A link that lies where the agent may
 * write is not followed, because one of an earlier loop could have made it to widen this one.
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

/** Where ralph itself reads them. */
const userSettings = (home: string, { XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string =>
  join(XDG_CONFIG_HOME || join(home, '.config'), 'ralph/settings.json');

/** The policy of a loop of this kind. What a user allows by its own name is not taken back. */
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

/** For a program that is to change nothing of the work. What is an agent's own may be written wherever it lies. */
export function readingPolicy<Kind extends SandboxPolicy>(policy: Kind): Kind {
  const { work, made, unreadable } = policy;
  const isIn = (path: string, folders: readonly string[]): boolean => folders.some((folder) => isUnder(path, folder));
  const writable = policy.writable.filter((path) => made.includes(path) || !isIn(path, work));
  const hidden = work.filter((path) => isIn(path, unreadable));
  return {
    ...policy,
    writable,
    readOnly: unique([...policy.readOnly, ...work]).filter((path) => isIn(path, writable)),
    // What may be written is seen also within what is hidden.
    shown: unique([...policy.shown, ...hidden]),
    // To allow it would not help.
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
 * The first where nothing around a mount can be exchanged: nothing may be written there, or it is a mount itself. The latter
 * does not stop an ordinary user's program, which can exchange what lies in it in namespaces of its own.
 */
export function guardedPlace(folders: readonly string[], writable: readonly string[]): string | null {
  return folders.find((folder) => writable.every((path) => path === folder || !isUnder(folder, path))) ?? null;
}

/**
 * Not a folder deeper in another, which is open with that one: on the way to it a program could exchange a folder for a
 * link, just before the next sandbox mounts what that leads to. One that lies directly in another is mounted all the same,
 * because no mount can be renamed: otherwise an agent could move `.git` away and make another, with hooks. In namespaces of
 * its own an ordinary user's program can rename it nevertheless; what is mounted then is checked from inside (`mount-check.ts`).
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

/** Without content it is a folder. */
function placeholder(path: string): { readonly path: string; readonly content: string | null } {
  if (extname(path) === '') return { path, content: null };
  return { path, content: extname(path) === '.json' ? '{}\n' : '' };
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
