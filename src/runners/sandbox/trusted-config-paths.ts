/**
 * In the work tree: what ralph, an agent or an editor outside of the sandbox would obey later, because it names programs
 * that they start. Instructions alone (`CLAUDE.md`, `AGENTS.md`) are the agent's to write.
 */

/** Of tools that are no agents. */
const OF_EDITORS = ['.cursor/hooks.json', '.cursor/mcp.json', '.idea', '.vscode'];

export function trustedConfigPaths(ofAgents: readonly string[]): string[] {
  const all = [...ofAgents, ...OF_EDITORS].sort();
  const isInFolder = (path: string): boolean => path.includes('/');
  return [...all.filter(isInFolder), ...all.filter((path) => !isInFolder(path))];
}
