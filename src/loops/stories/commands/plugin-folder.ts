/** Finds the plugin that belongs to this program: beside the package's own folders, or around the bundled program. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RalphError } from '../../../core/error.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';

/** `from` is the folder of the running file; `given` wins, and is then the only one that is looked for. */
export function findPlugin(from: string, given: string | undefined): string | null {
  const candidates = given ? [given] : [join(from, '..'), join(from, '../../plugin'), join(from, '../../../plugin')];
  return candidates.map((path) => resolve(path)).find(isPlugin) ?? null;
}

/** How the list is planned; the skill is there only where the plugin is loaded. */
export function planningCommand(pluginDir: string | null): string {
  return pluginDir === null
    ? '/ralph:ralph-plan in Claude Code, with the ralph plugin'
    : `claude --plugin-dir ${quoteWord(pluginDir)} "/ralph:ralph-plan"`;
}

export function templatesOf(pluginDir: string | null): string {
  if (pluginDir !== null && existsSync(join(pluginDir, 'templates'))) return join(pluginDir, 'templates');
  throw new RalphError('NO_PLUGIN', 'the templates were not found: they come with the ralph plugin', {
    hint: 'Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.',
    exitCode: 2,
  });
}

function isPlugin(path: string): boolean {
  return existsSync(join(path, '.claude-plugin/plugin.json')) && existsSync(join(path, 'hooks/hooks.json'));
}
