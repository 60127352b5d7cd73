/** `ralph stories init`: the folder with the list, from the plugin's templates. */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { RalphError } from '../../../core/error.ts';
import { appendPlain } from '../../../state/held-folder.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { replaceFile } from '../files/work-tree.ts';
import { endLoops } from '../find-loop.ts';
import { MARKER_NAME } from '../list/active-marker.ts';
import { type CommandProject, refuseLeadingOut, type StoriesProject } from '../project.ts';

export async function initStories(
  project: CommandProject,
  { name, force, templates }: { readonly name: string | null; readonly force: boolean; readonly templates: string },
): Promise<string[]> {
  const { cwd, ralphDir, folder, environment } = project;
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
  const written = writeTemplates(project, templates, { name, overwrites: force });
  const ignored = ignore(cwd, ralphDir) ? ['.gitignore'] : [];
  return [...written.map((file) => `${ralphDir}/${file}`), ...ignored];
}

export function writeTemplates(
  { cwd, folder }: StoriesProject,
  templates: string,
  { name = null, overwrites = false }: { readonly name?: string | null; readonly overwrites?: boolean } = {},
): string[] {
  const template = (file: string): string => readFileSync(join(templates, file), 'utf8');
  const files = {
    'prompt.md': template('prompt.md'),
    'prd.md': template('prd-template.md'),
    'tasks.json': tasksText(template('tasks-template.json'), name),
    'progress.txt': template('progress-template.md')
      .replaceAll('{{DATE}}', () => dayOf(new Date()))
      .replaceAll('{{PROJECT_NAME}}', () => name ?? basename(cwd)),
  };
  const wanted = Object.entries(files).filter(([file]) => overwrites || !existsSync(join(folder, file)));
  for (const [file, text] of wanted) replaceFile(cwd, join(folder, file), text);
  return wanted.map(([file]) => file);
}

/** As it was copied: it does not say yet what is to be built. */
export function isTemplatePrd(text: string | null, templates: string): boolean {
  return text !== null && text.trim() === readFileSync(join(templates, 'prd-template.md'), 'utf8').trim();
}

/** `2026-02-05`, by the machine's own clock. */
export function dayOf(now: Date): string {
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

function tasksText(template: string, name: string | null): string {
  if (name === null) return template;
  // Ours, and read as JSON so that no name can break it.
  const tasks = JSON.parse(template) as object;
  return `${JSON.stringify({ ...tasks, branchName: `ralph/${branchPart(name)}` }, null, 2)}\n`;
}

/** As it was given, but for what git or a shell would stumble over. */
function branchPart(name: string): string {
  const parts = name.split('/').map((part) =>
    part
      .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
      .replaceAll(/\.{2,}/g, '.')
      .replace(/(?:\.lock|[.-])+$/, '')
      .replace(/^[.-]+/, ''),
  );
  return parts.filter((part) => part !== '').join('/') || 'feature-name';
}

/** Git obeys none that is a link: what is no plain file is left as it is. */
function ignore(cwd: string, ralphDir: string): boolean {
  const path = join(cwd, '.gitignore');
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const present = isThere ? readPlain(path) : '';
  if (present === null) return false;
  const lines = present.split('\n').map((line) => line.trim());
  const logs = `${ralphDir}/logs/`;
  const missing = [
    ...(lines.includes(MARKER_NAME) ? [] : ['# Ralph Loop runtime marker', MARKER_NAME]),
    ...(isAbsolute(ralphDir) || lines.includes(logs) ? [] : ['# Ralph Loop logs', logs]),
  ];
  if (missing.length === 0) return true;
  const gap = present === '' || present.endsWith('\n') ? '' : '\n';
  appendPlain(path, `${gap}${missing.join('\n')}\n`);
  return true;
}
