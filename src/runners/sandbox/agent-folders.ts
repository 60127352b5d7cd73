/** Where each agent keeps its state, which it must be able to write, and what in there tells it or others what to run. */
import { isAbsolute, join } from 'node:path';

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

interface Keeping {
  /** Set by users who keep it elsewhere; one place then holds everything. */
  readonly variable?: string;
  /** The folder in that one, for a variable that stands for the home folder. */
  readonly inside?: string;
  /** In the home folder. */
  readonly usual: readonly string[];
  /** In each of those. */
  readonly obeyed: readonly string[];
  /** The same; these would mean something even when they are empty. */
  readonly watched?: readonly string[];
  /** The same, in the place that the variable names: otherwise it lies in the home folder itself, where nobody may write. */
  readonly watchedElsewhere?: readonly string[];
  /** Of those: what the agent fills by itself, and does without. */
  readonly filled?: readonly string[];
  readonly quiet?: readonly string[];
}

/** What all programs share, unless a variable says otherwise. */
const SHARED_FOLDERS = {
  XDG_DATA_HOME: '.local/share',
  XDG_STATE_HOME: '.local/state',
  XDG_CACHE_HOME: '.cache',
  XDG_CONFIG_HOME: '.config',
} as const;
const DATA = SHARED_FOLDERS.XDG_DATA_HOME;

/** Not the whole folder: Claude Code keeps the data of plugins there too, and runs no hook of one where it cannot. */
const CLAUDE_PLUGINS = [
  'cache',
  'marketplaces',
  'repos',
  'config.json',
  'installed_plugins.json',
  'known_marketplaces.json',
].map((name) => `plugins/${name}`);

const OPENCODE_CONFIGURATION = [
  'AGENTS.md',
  'agent',
  'agents',
  'command',
  'commands',
  'config.json',
  'node_modules',
  'opencode.json',
  'opencode.jsonc',
  'package.json',
  'plugin',
  'plugins',
  'skill',
  'skills',
  'tool',
  'tools',
];

const KEEPING: Readonly<Record<string, Keeping>> = {
  amp: { usual: ['.local/share/amp', '.cache/amp'], obeyed: [] },
  claude: {
    variable: 'CLAUDE_CONFIG_DIR',
    usual: ['.claude'],
    obeyed: [
      'CLAUDE.md',
      'agents',
      'commands',
      'hooks',
      'settings.json',
      'settings.local.json',
      'skills',
      ...CLAUDE_PLUGINS,
    ],
    watched: ['local', 'output-styles', 'rules'],
    watchedElsewhere: ['.claude.json'],
    filled: ['.claude.json', 'plugins'],
    // The first is replaced as a whole, for which the home folder would have to be writable; the last is for links in a browser.
    quiet: ['.claude.json', '.claude/state', `${DATA}/applications`],
  },
  codex: {
    variable: 'CODEX_HOME',
    usual: ['.codex'],
    obeyed: ['AGENTS.md', 'config.toml', 'hooks.json', 'prompts', 'rules', 'skills'],
    watched: ['.env', 'AGENTS.override.md', 'agents', 'plugins'],
    filled: ['skills'],
  },
  copilot: { variable: 'COPILOT_HOME', usual: ['.copilot'], obeyed: ['mcp-config.json'] },
  gemini: {
    variable: 'GEMINI_CLI_HOME',
    inside: '.gemini',
    usual: ['.gemini'],
    obeyed: ['GEMINI.md', 'commands', 'extensions', 'settings.json', 'trustedFolders.json'],
    watched: ['.env', 'agents', 'hooks', 'policies', 'skills'],
    filled: ['settings.json', 'trustedFolders.json'],
  },
  opencode: {
    // It does not start where it cannot write the last one.
    usual: ['.local/share/opencode', '.local/state/opencode', '.cache/opencode', '.config/opencode'],
    obeyed: ['bin'],
    watched: OPENCODE_CONFIGURATION,
    filled: ['bin', 'node_modules', 'package.json'],
    quiet: ['/sys/kernel/debug/tracing'],
  },
  pi: { variable: 'PI_CODING_AGENT_DIR', usual: ['.pi'], obeyed: ['extensions', 'settings.json'] },
  qwen: { variable: 'QWEN_HOME', usual: ['.qwen'], obeyed: ['QWEN.md', 'settings.json'] },
};

export function agentFolders(agent: string, home: string, env: NodeJS.ProcessEnv): AgentFolders {
  const keeping = KEEPING[agent];
  if (keeping === undefined) return { writable: [], readOnly: [], watched: [], quiet: [] };
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
