/** Paths that a sandbox hides or guards: secrets, and what programs outside of it would obey later. */
import { isAbsolute, join } from 'node:path';
import type { AgentsAccess, StateFolders } from '../../core/agent-access.ts';
import type { GitPlace } from '../../state/git-place.ts';

/** Secrets in the home folder. */
export const SECRETS = [
  // The tasks of `ralph task`, by default.
  '.run-agent',
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker/config.json',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.config/git/credentials',
  '.config/gcloud',
  '.config/gh',
  '.config/op',
  '.config/rclone',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.password-store',
  '.local/share/keyrings',
  '.terraform.d/credentials.tfrc.json',
  '.vault-token',
  '.bash_history',
  '.zsh_history',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
];

/** Of the machine: root could read most of them. */
export const SYSTEM_SECRETS = [
  ...['shadow', 'shadow-', 'gshadow', 'gshadow-', 'krb5.keytab', 'kubernetes'].map((name) => `/etc/${name}`),
  ...['dsa', 'ecdsa', 'ed25519', 'rsa'].map((kind) => `/etc/ssh/ssh_host_${kind}_key`),
  // Of a container: what Docker and Kubernetes hand to it.
  '/run/secrets',
  '/var/run/secrets',
];

/** Ways to keys that lie elsewhere. */
export const LEADS_TO_KEYS = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'DBUS_SESSION_BUS_ADDRESS',
  'DOCKER_HOST',
];

/** Of tools that are no agents. */
const OF_EDITORS = ['.cursor/hooks.json', '.cursor/mcp.json', '.idea', '.vscode'];

/**
 * In the work tree: what ralph, an agent or an editor outside of the sandbox would obey later, because it names programs
 * that they start. Instructions alone (`CLAUDE.md`, `AGENTS.md`) are the agent's to write.
 */
export function trustedConfigPaths(ofAgents: readonly string[]): string[] {
  const all = [...ofAgents, ...OF_EDITORS].sort();
  const isInFolder = (path: string): boolean => path.includes('/');
  return [...all.filter(isInFolder), ...all.filter((path) => !isInFolder(path))];
}

export function gitFolders(git: GitPlace | null): string[] {
  return git === null ? [] : [git.gitFolder, git.commonFolder];
}

/** A hook or a setting that an agent plants would run with the next git outside. */
export function obeyedByGit(git: GitPlace | null): string[] {
  if (git === null) return [];
  const { entry, gitFolder, commonFolder } = git;
  const isFile = entry !== gitFolder;
  return [...(isFile ? [entry] : []), ...[gitFolder, commonFolder].flatMap(obeyedIn)];
}

export function obeyedIn(repository: string): string[] {
  return ['hooks', 'config', 'config.worktree', 'commondir', 'gitdir'].map((name) => join(repository, name));
}

/** What a repository may have, empty, without any effect. */
export function standingInGit(git: GitPlace | null): string[] {
  if (git === null) return [];
  const { gitFolder, commonFolder } = git;
  return [
    join(commonFolder, 'hooks'),
    ...[...new Set([commonFolder, gitFolder])].map((at) => join(at, 'config.worktree')),
  ];
}

export interface AgentFolders {
  /** Folders; made where they are missing, as the agent itself would. */
  readonly writable: readonly string[];
  /** What a later run outside of the sandbox would obey. */
  readonly readOnly: readonly string[];
  /** The same, but where it is missing nothing is put in its place: what appears there is put aside. */
  readonly watched: readonly string[];
  /** What begins so is refused and does not matter: the agent tries, and goes on. */
  readonly quiet: readonly string[];
}

/** What all programs share, unless a variable says otherwise. */
const SHARED_FOLDERS = {
  XDG_DATA_HOME: '.local/share',
  XDG_STATE_HOME: '.local/state',
  XDG_CACHE_HOME: '.cache',
  XDG_CONFIG_HOME: '.config',
} as const;
export function agentFolders({ agents }: AgentsAccess, home: string, env: NodeJS.ProcessEnv): AgentFolders {
  const each = agents.flatMap(({ state }) => (state === undefined ? [] : [foldersOf(state, home, env)]));
  return {
    writable: each.flatMap(({ writable }) => writable),
    readOnly: each.flatMap(({ readOnly }) => readOnly),
    watched: each.flatMap(({ watched }) => watched),
    quiet: each.flatMap(({ quiet }) => quiet),
  };
}

function foldersOf(keeping: StateFolders, home: string, env: NodeJS.ProcessEnv): AgentFolders {
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
    readOnly: inEach(keeping.obeyed),
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
