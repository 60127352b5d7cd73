/** `ralph stories init` and `archive`: create the files of a plan from the plugin's templates, and archive them. */
import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { errnoOf, RalphError } from '../../core/error.ts';
import { isFields, parsedJson } from '../../core/text/json.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import type { Instant } from '../../core/time.ts';
import { MESSAGE_FILES } from '../../loops/stories/files/messages.ts';
import { ownCommit, replaceFile } from '../../loops/stories/files/work-tree.ts';
import { endLoops, livingMarker, markedElsewhere } from '../../loops/stories/find-loop.ts';
import { isTemplate } from '../../loops/stories/inputs.ts';
import { MARKER_NAME } from '../../loops/stories/list/active-file.ts';
import { isCapApproval } from '../../loops/stories/list/allowed-changes.ts';
import { readTasks } from '../../loops/stories/list/tasks.ts';
import type { CommandProject, StoriesProject } from '../../loops/stories/project.ts';
import { isTemplatePrd, planningCommand, refuseLeadingOut, templatesOf } from '../../loops/stories/project.ts';
import { readPlain, writeFile } from '../../process/files.ts';
import { addPatterns, excludeFromGit } from '../../scm/git.ts';
import { inHeldFolder } from '../../state/held-folder.ts';
import { clockTime } from '../terminal/words.ts';
import type { CommandFlags, ReadOnlyTree } from './project.ts';
import { listedProjectOf, pluginOf, projectOf, withReadOnlyTree } from './project.ts';
import type { Program } from './run.ts';
import { surveyStories } from './status.ts';

export async function initCommand(flags: CommandFlags, { here }: Program): Promise<number> {
  const project = projectOf(flags);
  const { cwd, ralphDir, folder, environment } = project;
  const { force = false } = flags;
  const pluginDir = pluginOf(environment, here);
  const templates = templatesOf(pluginDir);
  refuseLeadingOut(project);
  if (!force && existsSync(join(folder, 'tasks.json'))) {
    const hint = 'Use --force to overwrite them, or archive them first: ralph stories archive';
    const what = `${ralphDir}/ already has state files (tasks.json exists).`;
    throw new RalphError('INITIALIZED', what, { hint, exitCode: 1 });
  }
  // Otherwise, a loop that was cut off would restore its files into the new plan.
  await endLoops(cwd, environment, 'a new plan was begun');
  // A PRD that was already written is kept: the list is derived from it.
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
  1. Write what to build into ${ralphDir}/prd.md and its stories into ${ralphDir}/tasks.json, or plan both with Claude:
     ${planningCommand(pluginDir)}
  2. Commit, then run the loop: ralph stories run${at}
  3. When it is done: ralph stories archive
`);
  return 0;
}

function writeTemplates(project: StoriesProject, templates: string, name: string | null, overwrites: boolean) {
  const { cwd, folder } = project;
  const template = (file: string): string => readFileSync(join(templates, file), 'utf8');
  const tasks = template('tasks-template.json');
  const progress = template('progress-template.md').replaceAll('{{DATE}}', () => dayOf(Date.now()));
  const files = {
    'prompt.md': template('prompt.md'),
    'prd.md': template('prd-template.md'),
    'tasks.json': name === null ? tasks : tasksNamed(name, tasks),
    'progress.txt': progress.replaceAll('{{PROJECT_NAME}}', () => name ?? basename(cwd)),
  };
  const wanted = Object.entries(files).filter(([file]) => overwrites || !existsSync(join(folder, file)));
  for (const [file, text] of wanted) replaceFile(cwd, join(folder, file), text);
  return wanted.map(([file]) => file);
}

function dayOf(at: Instant): string {
  return clockTime(at).slice(0, '2026-02-05'.length);
}

/** The branch gets the given name, without what git or a shell would not accept. */
function tasksNamed(name: string, template: string): string {
  const parts = name.split('/').map((part) => {
    const plain = part.replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-').replaceAll(/\.{2,}/g, '.');
    return plain.replace(/(?:\.lock|[.-])+$/, '').replace(/^[.-]+/, '');
  });
  const branchName = `ralph/${parts.filter((part) => part !== '').join('/') || 'feature-name'}`;
  // The template is ours. It is read as JSON, so that no name can break it.
  return `${JSON.stringify({ ...(JSON.parse(template) as object), branchName }, null, 2)}\n`;
}

const PAPERS = ['prd.md', 'tasks.json', 'progress.txt', ...MESSAGE_FILES] as const;

export async function archiveCommand(flags: CommandFlags, { here, self }: Program): Promise<number> {
  const project = listedProjectOf(flags);
  const { cwd, ralphDir, folder, environment } = project;
  refuseRunning(project);
  const templates = templatesOf(pluginOf(environment, here));
  refuseLeadingOut(project);
  const text = readPlain(join(folder, 'tasks.json'));
  if (text === null)
    throw nothingToDo(`${ralphDir}/tasks.json not found`, '; prepare the project with: ralph stories init');
  const write = `. Write ${ralphDir}/prd.md and ${ralphDir}/tasks.json first.`;
  if (isTemplate(text) && isTemplatePrd(readPlain(join(folder, 'prd.md')), templates))
    throw nothingToDo(`${ralphDir}/ still holds the templates`, write);
  const list = listed(text);
  const count = `${list.complete}/${list.total}`;
  const names = flags.includeLogs === true ? [...PAPERS, 'logs'] : PAPERS;
  const { path, commit, problem } = await withReadOnlyTree(project, self, async (look) => {
    // Otherwise, a loop that was cut off would restore its files into the next plan.
    await endLoops(cwd, environment, 'its files were archived');
    const chosen = flags.label?.trim() || list.branch || (await branchIn(look)) || list.project || 'loop';
    // A name of only dots would be another folder.
    const label = /^\.+$/.test(chosen) ? 'loop' : chosen.replaceAll(/[^A-Za-z0-9._-]/g, '-');
    const today = dayOf(Date.now());
    const path = freePath(cwd, `${today}-${label}`);
    const summary = [
      `# Ralph Loop Archive: ${label}`,
      '',
      `- **Project:** ${list.project || label}`,
      `- **Archived:** ${today}`,
      `- **Date range:** ${startOf(join(folder, 'progress.txt'))} – ${today}`,
      `- **Stories:** ${count} completed`,
      ...storyRows(text),
      '',
    ].join('\n');
    inHeldFolder(join(cwd, path), { makes: true }, (to) => {
      inHeldFolder(folder, {}, (from) => {
        for (const name of names.filter((one) => existsSync(join(from, one)))) move(join(from, name), join(to, name));
      });
      writeFile(join(to, 'summary.md'), summary, { flag: 'wx' });
    });
    // The prompt stays, because the project may have adapted it.
    writeTemplates(project, templates, null, false);
    // Files outside of the project are not committed here.
    const paths = isAbsolute(ralphDir) ? [path] : [path, ralphDir];
    return { path, ...(await committed(look, `archive(ralph): ${label} — ${count} stories completed`, paths)) };
  });
  const where = commit === null ? path : `${path} and committed it (${commit.slice(0, 12)})`;
  process.stdout.write(`Archived ${count} stories to ${where}\n`);
  if (problem !== null) process.stderr.write(`Warning: not committed: ${problem}\n`);
  process.stdout.write(`${ralphDir}/ is ready for the next loop; prompt.md is as it was.\n`);
  return 0;
}

function refuseRunning(project: CommandProject): void {
  const { cwd } = project;
  const { loop } = surveyStories(project);
  const marked = loop?.id === null ? livingMarker(cwd) : null;
  if (marked !== null) throw markedElsewhere(cwd, marked);
  if (loop?.pid == null) return;
  const hint = `Wait until it ends, or stop it first: kill ${loop.pid}`;
  throw new RalphError('LOCKED', `a loop is running in ${cwd} (pid ${loop.pid})`, { hint });
}

function nothingToDo(what: string, instead: string): RalphError {
  return new RalphError('NOTHING_TO_ARCHIVE', what, { hint: `There is nothing to archive${instead}`, exitCode: 1 });
}

/** The folder can be on another disk than the project. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true });
  }
}

async function committed(look: ReadOnlyTree, message: string, paths: readonly string[]) {
  if ('problem' in look) return { commit: null, ...look };
  const inside = await look.tree.git(['rev-parse', '--is-inside-work-tree']);
  return inside.ok ? ownCommit(look.tree, message, paths) : { commit: null, problem: 'not a git repository' };
}

async function branchIn(look: ReadOnlyTree): Promise<string> {
  return 'problem' in look ? '' : (await look.tree.git(['symbolic-ref', '--short', '--quiet', 'HEAD'])).stdout.trim();
}

/** Accepts an invalid list, too, because it is only archived. */
function listed(text: string) {
  const parsed = parsedJson(text);
  const file = isFields(parsed) ? parsed : {};
  const word = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
  const named = word(file.branchName);
  // The template's branch is only a placeholder.
  const branch = named === 'ralph/feature-name' ? '' : named;
  const stories = Array.isArray(file.userStories) ? file.userStories.filter(isFields) : [];
  const complete = stories.filter(({ passes }) => passes === true).length;
  return { project: word(file.project), branch, complete, total: stories.length };
}

function freePath(cwd: string, name: string): string {
  for (let twin = 1; ; twin++) {
    const path = join('ralph-archive', twin === 1 ? name : `${name}-${twin}`);
    if (!existsSync(join(cwd, path))) return path;
  }
}

/** `Started: 2026-01-02` of the progress log, or when that file was made. */
function startOf(progress: string): string {
  const said = /^Started:\s*(\d{4}-\d{2}-\d{2})/m.exec(readPlain(progress) ?? '')?.[1];
  return said ?? (existsSync(progress) ? dayOf(lstatSync(progress).birthtimeMs) : 'unknown');
}

function storyRows(list: string): string[] {
  const read = readTasks(list);
  if (!read.isValid || read.tasks.userStories.length === 0) return [];
  const rows = read.tasks.userStories.map((story) => {
    const state = story.passes ? 'completed' : 'open';
    const cap = isCapApproval(story) ? ' (auto-approved at cap)' : '';
    const title = story.title.split(/\s+/).join(' ').replaceAll('|', '\\|');
    return `| ${story.id} | ${title} | ${state} | ${story.reviewCount}${cap} |`;
  });
  return ['', '| Story | Title | State | Reviews |', '|---|---|---|---|', ...rows];
}
