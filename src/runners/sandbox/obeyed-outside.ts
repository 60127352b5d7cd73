/**
 * In the work tree: what ralph, an agent or an editor outside of the sandbox would obey later, because it names programs
 * that they start. Instructions alone (`CLAUDE.md`, `AGENTS.md`, `.claude/rules`) are the agent's to write.
 */

/** By the folder that each tool reads in a project. */
const IN_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  '.amp': ['plugins', 'settings.json', 'settings.jsonc', 'tools'],
  '.claude': ['agents', 'commands', 'hooks', 'settings.json', 'settings.local.json', 'skills'],
  '.codex': ['agents', 'config.toml', 'hooks.json', 'plugins', 'prompts', 'rules', 'skills'],
  '.cursor': ['hooks.json', 'mcp.json'],
  '.gemini': ['.env', 'agents', 'commands', 'extensions', 'hooks', 'policies', 'settings.json', 'skills'],
  '.github': ['hooks'],
  '.opencode': [
    'agent',
    'agents',
    'command',
    'commands',
    'opencode.json',
    'opencode.jsonc',
    'plugin',
    'plugins',
    'skill',
    'skills',
    'tool',
    'tools',
  ],
  '.pi': ['extensions', 'prompts', 'settings.json', 'skills'],
  '.qwen': ['.env', 'agents', 'commands', 'extensions', 'hooks', 'settings.json', 'skills'],
};

export const OBEYED_OUTSIDE: readonly string[] = [
  ...Object.entries(IN_FOLDERS).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`)),
  '.idea',
  '.mcp.json',
  '.vscode',
  'opencode.json',
  'opencode.jsonc',
];
