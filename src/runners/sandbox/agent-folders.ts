/** Where each agent keeps its state, which it must be able to write, and what in there tells it or others what to run. */
import { join } from 'node:path';

export interface AgentFolders {
  /** Folders; made where they are missing, as the agent itself would. */
  readonly writable: readonly string[];
  /** What a later run outside of the sandbox would obey. */
  readonly readOnly: readonly string[];
  /** What begins so is refused and does not matter: the agent tries, and goes on. */
  readonly quiet: readonly string[];
}

interface Keeping {
  /** Set by users who keep it elsewhere; one place then holds everything. */
  readonly variable?: string;
  /** In the home folder. */
  readonly usual: readonly string[];
  /** In each of those. */
  readonly obeyed: readonly string[];
  /** Of those: what the agent fills by itself, and does without. */
  readonly filled?: readonly string[];
  readonly quiet?: readonly string[];
}

/** Unless XDG_DATA_HOME says otherwise. */
const DATA = '.local/share';

/** Not the whole folder: Claude Code keeps the data of plugins there too, and runs no hook of one where it cannot. */
const CLAUDE_PLUGINS = [
  'cache',
  'marketplaces',
  'repos',
  'config.json',
  'installed_plugins.json',
  'known_marketplaces.json',
].map((name) => `plugins/${name}`);

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
    filled: ['plugins'],
    // The first is replaced as a whole, for which the home folder would have to be writable; the last is for links in a browser.
    quiet: ['.claude.json', '.claude/state', `${DATA}/applications`],
  },
  codex: {
    variable: 'CODEX_HOME',
    usual: ['.codex'],
    obeyed: ['AGENTS.md', 'config.toml', 'hooks.json', 'prompts', 'rules', 'skills'],
    filled: ['skills'],
  },
  copilot: { variable: 'COPILOT_HOME', usual: ['.copilot'], obeyed: ['mcp-config.json'] },
  gemini: { variable: 'GEMINI_CLI_HOME', usual: ['.gemini'], obeyed: ['GEMINI.md', 'commands', 'extensions'] },
  opencode: { usual: ['.local/share/opencode', '.local/state/opencode', '.cache/opencode'], obeyed: [] },
  pi: { variable: 'PI_CODING_AGENT_DIR', usual: ['.pi'], obeyed: ['extensions', 'settings.json'] },
  qwen: { variable: 'QWEN_HOME', usual: ['.qwen'], obeyed: ['QWEN.md', 'settings.json'] },
};

export function agentFolders(agent: string, home: string, env: NodeJS.ProcessEnv): AgentFolders {
  const keeping = KEEPING[agent];
  if (keeping === undefined) return { writable: [], readOnly: [], quiet: [] };
  const elsewhere = keeping.variable === undefined ? '' : (env[keeping.variable] ?? '');
  const writable = elsewhere === '' ? keeping.usual.map((path) => join(home, path)) : [elsewhere];
  const readOnly = writable.flatMap((folder) => keeping.obeyed.map((name) => join(folder, name)));
  const data = env.XDG_DATA_HOME || join(home, DATA);
  const filled = writable.flatMap((folder) => (keeping.filled ?? []).map((name) => join(folder, name)));
  const quiet = (keeping.quiet ?? []).map((path) =>
    path.startsWith(`${DATA}/`) ? join(data, path.slice(DATA.length)) : join(home, path),
  );
  return { writable, readOnly, quiet: [...filled, ...quiet] };
}
