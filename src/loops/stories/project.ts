/** The project of a stories loop: its folder, the folder with the list, and the plugin that comes with this program. */
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { RalphError } from '../../core/error.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { ifThere, realPath, realPathSoFar, realWorkFolder } from '../../process/files.ts';

export interface StoriesProject {
  readonly cwd: string;
  /** The folder with the list, relative to `cwd`; outside of the project, its real path. */
  readonly ralphDir: string;
  readonly folder: string;
}

export type CommandProject = StoriesProject & { readonly environment: Environment };

/** A relative `ralphDir` is relative to the project's folder. */
export function projectIn(path: string, ralphDir: string): StoriesProject {
  const cwd = realWorkFolder(path);
  const folder = resolve(cwd, ralphDir);
  const inside = relative(cwd, folder);
  const isOutside = inside === '' || inside.startsWith('..') || isAbsolute(inside);
  return isOutside ? listIn(cwd, realPathSoFar(folder)) : listIn(cwd, inside);
}

export function listIn(cwd: string, ralphDir: string): StoriesProject {
  return { cwd, ralphDir, folder: resolve(cwd, ralphDir) };
}

/** An agent may have made a link in the project: only a path that a person names may lead out of the project. */
export function refuseLeadingOut({ cwd, ralphDir, folder }: StoriesProject): void {
  const real = isAbsolute(ralphDir) ? null : ifThere(() => realPath(folder));
  if (real === null || real === folder) return;
  const isInside = real.startsWith(`${cwd}/`);
  const where = isInside ? 'elsewhere in' : 'out of';
  throw new RalphError('RALPH_DIR', `${ralphDir} leads ${where} the project, by a link`, {
    hint: `If that is what you want, name the folder itself: --ralph-dir ${isInside ? real.slice(cwd.length + 1) : real}`,
  });
}

/** Looks beside the package's folders, or around the bundled program in folder `from`; if `given`, only there. */
export function findPlugin(from: string, given: string | undefined): string | null {
  const candidates = given ? [given] : [join(from, '..'), join(from, '../../plugin'), join(from, '../../../plugin')];
  const isPlugin = (path: string): boolean =>
    existsSync(join(path, '.claude-plugin/plugin.json')) && existsSync(join(path, 'hooks/hooks.json'));
  return candidates.map((path) => resolve(path)).find(isPlugin) ?? null;
}

/** The command for planning the list; the skill exists only if the plugin is loaded. */
export function planningCommand(pluginDir: string | null): string {
  if (pluginDir === null) return '/ralph:ralph-plan in Claude Code, with the ralph plugin';
  return `claude --plugin-dir ${quoteWord(pluginDir)} "/ralph:ralph-plan"`;
}

export function templatesOf(pluginDir: string | null): string {
  if (pluginDir !== null && existsSync(join(pluginDir, 'templates'))) return join(pluginDir, 'templates');
  throw noPlugin('the templates were not found: they come with the ralph plugin');
}

/** True for an unchanged copy of the template, which does not yet say what to build. */
export function isTemplatePrd(text: string | null, templates: string): boolean {
  return text !== null && text.trim() === readFileSync(join(templates, 'prd-template.md'), 'utf8').trim();
}

export function noPlugin(what: string): RalphError {
  const hint = 'Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.';
  return new RalphError('NO_PLUGIN', what, { hint });
}
