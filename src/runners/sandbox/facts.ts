/** The facts that a policy is computed from: the machine, the work tree, secrets, files that programs outside obey. */
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { AgentsAccess, StateFolders } from '../../core/agent-access.ts';
import { digestOf } from '../../core/text/digest.ts';
import { followLinks, realPath, realPathSoFar } from '../../process/files.ts';
import { believedGit, type GitPlace, submoduleEntry, submoduleFolders } from '../../state/git-place.ts';
import type { LoopPaths } from './policy.ts';
import type { SandboxRequest } from './request.ts';

export interface SandboxPlace {
  readonly loop: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stateRoot: string;
  /** Of all agents that the loop calls. */
  readonly access: AgentsAccess;
}

export interface SandboxOptions extends SandboxPlace {
  readonly request: SandboxRequest;
  /** The loop's own folder, which is private to the user. */
  readonly folder: string;
  readonly loopPaths?: LoopPaths;
}

export type PolicyFacts = Readonly<ReturnType<typeof policyFacts>>;

export function policyFacts({ loop, cwd, env, stateRoot, access }: SandboxPlace) {
  const home = env.HOME || '/';
  const workspace = realPath(cwd);
  const git = believedGit(workspace);
  const submodules = git === null ? [] : submoduleFolders(git);
  const worktrees = git === null ? [] : entriesOf(join(git.commonFolder, 'worktrees'));
  return {
    workspace,
    home,
    otherHomes: otherHomes(home),
    stateRoot,
    temp: join(realPath(tmpdir()), `ralph-${digestOf(loop)}`),
    /** For package managers: kept between runs, and separate from the user's own. */
    caches: join(env.XDG_CACHE_HOME || join(home, '.cache'), 'ralph/sandbox', digestOf(workspace)),
    access,
    git,
    /** What git keeps for each of the repository's other worktrees. */
    otherWorktrees: worktrees.filter((path) => path !== git?.gitFolder),
    /** The repositories of submodules, and the files in the work tree that lead to those. */
    submodules,
    submoduleEntries: submodules.flatMap((repository) => submoduleEntry(repository) ?? []),
    env,
    /** Whether the system can also keep a name from being created. */
    guardsNames: process.platform === 'darwin',
    exists: (path: string): boolean => existsSync(path),
    real: realPathSoFar,
    follow: followLinks,
  };
}

/** Homes whose files this user can read: by the user database, if HOME differs from it; for root, everyone's. */
function otherHomes(home: string): string[] {
  const all = process.getuid?.() === 0 ? entriesOf('/home') : [];
  return [...new Set([...listedHome(), ...all])].filter((folder) => folder !== home);
}

function listedHome(): string[] {
  try {
    return [userInfo().homedir];
  } catch {
    // The user is not in the database, as in a container.
    return [];
  }
}

function entriesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

const dotted = (name: string): string => `.${name}`;

export const SECRETS = [
  // The tasks of `ralph task`, by default.
  '.run-agent',
  ...['ssh', 'aws', 'azure', 'gnupg', 'kube', 'password-store', 'mozilla', 'docker/config.json'].map(dotted),
  ...['netrc', 'npmrc', 'pypirc', 'git-credentials', 'vault-token', 'bash_history', 'zsh_history'].map(dotted),
  ...['cargo/credentials.toml', 'gem/credentials', 'terraform.d/credentials.tfrc.json'].map(dotted),
  ...['git/credentials', 'gcloud', 'gh', 'op', 'rclone', 'google-chrome', 'chromium'].map((name) => `.config/${name}`),
  '.local/share/keyrings',
  // On a Mac. Not its keychain: agents keep their own login there, and its contents are encrypted.
  '.zsh_sessions',
  ...['Cookies', 'Safari', 'Messages', 'Mail', 'Containers/com.apple.Safari'].map((name) => `Library/${name}`),
  ...['Google/Chrome', 'Chromium', 'BraveSoftware', 'Microsoft Edge', 'Firefox', 'gcloud', 'com.apple.TCC'].map(
    (name) => `Library/Application Support/${name}`,
  ),
];

/** Of the machine; root could read most of them. */
export const SYSTEM_SECRETS = [
  ...['shadow', 'shadow-', 'gshadow', 'gshadow-', 'krb5.keytab', 'kubernetes'].map((name) => `/etc/${name}`),
  ...['dsa', 'ecdsa', 'ed25519', 'rsa'].map((kind) => `/etc/ssh/ssh_host_${kind}_key`),
  // Of a container: what Docker and Kubernetes pass into it.
  '/run/secrets',
  '/var/run/secrets',
];

/** Variables that lead to keys stored elsewhere. */
export const LEADS_TO_KEYS = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'DBUS_SESSION_BUS_ADDRESS',
  'DOCKER_HOST',
];

const OF_EDITORS = ['.cursor/hooks.json', '.cursor/mcp.json', '.idea', '.vscode'];

/** What programs outside would obey, because it names what they start. The agent may write mere instructions. */
export function trustedConfigPaths(ofAgents: readonly string[]): string[] {
  const all = [...ofAgents, ...OF_EDITORS].sort();
  const isInFolder = (path: string): boolean => path.includes('/');
  return [...all.filter(isInFolder), ...all.filter((path) => !isInFolder(path))];
}

/**
 * `trustedConfig`: a hook or a setting planted there would run with the next git outside. `placeholders` are empty, and
 * have no effect.
 */
export function gitPaths(git: GitPlace | null): {
  writable: string[];
  trustedConfig: string[];
  placeholders: string[];
} {
  if (git === null) return { writable: [], trustedConfig: [], placeholders: [] };
  const { entry, gitFolder, commonFolder } = git;
  const writable = [gitFolder, commonFolder];
  const settings = new Set([commonFolder, gitFolder].map((folder) => join(folder, 'config.worktree')));
  return {
    writable,
    trustedConfig: [...(entry === gitFolder ? [] : [entry]), ...writable.flatMap(trustedConfigIn)],
    placeholders: [join(commonFolder, 'hooks'), ...settings],
  };
}

export function trustedConfigIn(repository: string): string[] {
  return ['hooks', 'config', 'config.worktree', 'commondir', 'gitdir'].map((name) => join(repository, name));
}

/** Folders that all programs share, unless a variable says otherwise. */
const SHARED_FOLDERS = {
  XDG_DATA_HOME: '.local/share',
  XDG_STATE_HOME: '.local/state',
  XDG_CACHE_HOME: '.cache',
  XDG_CONFIG_HOME: '.config',
} as const;

export function agentFolders({ agents }: AgentsAccess, home: string, env: NodeJS.ProcessEnv) {
  const each = agents.flatMap(({ state }) => (state === undefined ? [] : [foldersOf(state, home, env)]));
  const all = (list: keyof ReturnType<typeof foldersOf>): string[] => each.flatMap((folders) => folders[list]);
  return { writable: all('writable'), readOnly: all('readOnly'), watched: all('watched'), quiet: all('quiet') };
}

function foldersOf(keeping: StateFolders, home: string, env: NodeJS.ProcessEnv) {
  const elsewhere = keeping.variable === undefined ? '' : (env[keeping.variable] ?? '');
  const isElsewhere = elsewhere !== '';
  const writable = isElsewhere
    ? [join(elsewhere, keeping.inside ?? '')]
    : keeping.usual.map((path) => inHome(path, home, env));
  const inEach = (names: readonly string[] = []): string[] =>
    writable.flatMap((folder) => names.map((name) => join(folder, name)));
  const quiet = (keeping.quiet ?? []).map((path) => inHome(path, home, env));
  return {
    writable,
    readOnly: inEach(keeping.trustedConfig),
    watched: [...inEach(keeping.watched), ...(isElsewhere ? inEach(keeping.watchedElsewhere) : [])],
    quiet: [...inEach(keeping.filled), ...quiet],
  };
}

function inHome(path: string, home: string, env: NodeJS.ProcessEnv): string {
  if (isAbsolute(path)) return path;
  for (const [variable, usual] of Object.entries(SHARED_FOLDERS)) {
    const shared = env[variable] ?? '';
    if (isAbsolute(shared) && path.startsWith(`${usual}/`)) return join(shared, path.slice(usual.length));
  }
  return join(home, path);
}
