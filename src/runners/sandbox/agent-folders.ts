/** Where each agent keeps its state, which it must be able to write, and what in there tells it or others what to run. */
import { isAbsolute, join } from 'node:path';
import type { StateFolders } from '../../core/agent-access.ts';

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
export function agentFolders(keeping: StateFolders, home: string, env: NodeJS.ProcessEnv): AgentFolders {
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
