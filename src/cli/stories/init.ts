/** `ralph stories init`: the folder with the list, from the plugin's templates. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import type { Instant } from '../../core/time.ts';
import { replaceFile } from '../../loops/stories/files/work-tree.ts';
import { endLoops } from '../../loops/stories/find-loop.ts';
import { MARKER_NAME } from '../../loops/stories/list/active-marker.ts';
import { planningCommand, refuseLeadingOut, type StoriesProject, templatesOf } from '../../loops/stories/project.ts';
import { addPatterns, excludeFromGit } from '../../scm/git.ts';
import { clockTime } from '../terminal/words.ts';
import { type ProjectFlags, pluginOf, projectOf } from './project.ts';
import type { Program } from './run.ts';

export interface InitFlags extends ProjectFlags {
  readonly name?: string;
  readonly force?: boolean;
}

export async function initCommand(flags: InitFlags, { here }: Program): Promise<number> {
  const project = projectOf(flags);
  const { cwd, ralphDir, folder, environment } = project;
  const { force = false } = flags;
  const pluginDir = pluginOf(environment, here);
  const templates = templatesOf(pluginDir);
  refuseLeadingOut(project);
  if (!force && existsSync(join(folder, 'tasks.json'))) {
    throw new RalphError('INITIALIZED', `${ralphDir}/ already has state files (tasks.json exists).`, {
      hint: 'Use --force to overwrite them, or file them away first: ralph stories archive',
      exitCode: 1,
    });
  }
  // What a loop that was cut off puts back would be put into the next plan.
  await endLoops(cwd, environment, 'a new plan was begun');
  // A PRD that is written already is what the list is to be derived from.
  const written = writeTemplates(project, templates, flags.name?.trim() || null, force);
  const marker = ['# Ralph Loop runtime marker', MARKER_NAME];
  const logs = isAbsolute(ralphDir) ? [] : [['# Ralph Loop logs', `${ralphDir}/logs/`]];
  const isIgnored = addPatterns(join(cwd, '.gitignore'), [marker, ...logs]);
  const made = [...written.map((file) => `${ralphDir}/${file}`), ...(isIgnored ? ['.gitignore'] : [])];
  excludeFromGit(cwd, MARKER_NAME);
  const at = ralphDir === 'ralph' ? '' : ` --ralph-dir ${quoteWord(ralphDir)}`;
  process.stdout.write(`Initialized ${ralphDir}/ in ${cwd}
${made.map((path) => `  ${path}\n`).join('')}
Next steps:
  1. Write what is to be built into ${ralphDir}/prd.md and its stories into ${ralphDir}/tasks.json, or have both planned with you:
     ${planningCommand(pluginDir)}
  2. Commit, then run the loop: ralph stories run${at}
  3. When it is done: ralph stories archive
`);
  return 0;
}

export function writeTemplates(project: StoriesProject, templates: string, name: string | null, overwrites: boolean) {
  const { cwd, folder } = project;
  const template = (file: string): string => readFileSync(join(templates, file), 'utf8');
  const files = {
    'prompt.md': template('prompt.md'),
    'prd.md': template('prd-template.md'),
    'tasks.json': name === null ? template('tasks-template.json') : tasksNamed(name, template('tasks-template.json')),
    'progress.txt': template('progress-template.md')
      .replaceAll('{{DATE}}', () => dayOf(Date.now()))
      .replaceAll('{{PROJECT_NAME}}', () => name ?? basename(cwd)),
  };
  const wanted = Object.entries(files).filter(([file]) => overwrites || !existsSync(join(folder, file)));
  for (const [file, text] of wanted) replaceFile(cwd, join(folder, file), text);
  return wanted.map(([file]) => file);
}

export function dayOf(at: Instant): string {
  return clockTime(at).slice(0, '2026-02-05'.length);
}

/** The branch has the name as it was given, but for what git or a shell would stumble over. */
function tasksNamed(name: string, template: string): string {
  const parts = name.split('/').map((part) =>
    part
      .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
      .replaceAll(/\.{2,}/g, '.')
      .replace(/(?:\.lock|[.-])+$/, '')
      .replace(/^[.-]+/, ''),
  );
  const branchName = `ralph/${parts.filter((part) => part !== '').join('/') || 'feature-name'}`;
  // Ours, and read as JSON so that no name can break it.
  return `${JSON.stringify({ ...(JSON.parse(template) as object), branchName }, null, 2)}\n`;
}
