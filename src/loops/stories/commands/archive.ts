/** `ralph stories archive`: files a loop's papers away, commits them, and leaves a fresh start. */
import { cpSync, existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { isFields, parsedJson } from '../../../core/json.ts';
import { writeFile } from '../../../process/files.ts';
import { inHeldFolder } from '../../../state/held-folder.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { MESSAGE_FILES } from '../files/messages.ts';
import { ownCommit } from '../files/work-tree.ts';
import { endLoops } from '../find-loop.ts';
import { isTemplate } from '../inputs.ts';
import { isCapApproval } from '../list/judge.ts';
import { readTasks } from '../list/tasks.ts';
import { type CommandProject, refuseLeadingOut, type StoriesProject } from '../project.ts';
import type { Committed } from '../state.ts';
import { dayOf, isTemplatePrd, writeTemplates } from './init.ts';
import type { ReadOnlyTree } from './read-only-worktree.ts';

export interface ArchiveRequest {
  readonly label: string | null;
  readonly includeLogs: boolean;
  readonly templates: string;
  readonly look: ReadOnlyTree;
}

const PAPERS = ['prd.md', 'tasks.json', 'progress.txt', ...MESSAGE_FILES] as const;

export async function archiveStories(project: CommandProject, request: ArchiveRequest) {
  const { cwd, ralphDir, folder, environment } = project;
  const { templates, look } = request;
  refuseLeadingOut(project);
  const text = readPlain(join(folder, 'tasks.json'));
  if (text === null) {
    throw new RalphError('NOTHING_TO_ARCHIVE', `${ralphDir}/tasks.json not found`, {
      hint: 'There is nothing to archive; prepare the project with: ralph stories init',
      exitCode: 1,
    });
  }
  refuseUntouched(project, text, templates);
  // What a loop that was cut off puts back would be put into the next plan.
  await endLoops(cwd, environment, 'its papers were filed away');
  const list = listed(text);
  const label = await labelOf(request, list);
  const { complete, total } = list;
  const today = dayOf(new Date());
  const path = freePath(cwd, `${today}-${label}`);
  const summary = summaryOf(label, list, text, { began: startOf(join(folder, 'progress.txt')), today });
  const names = request.includeLogs ? [...PAPERS, 'logs'] : PAPERS;
  inHeldFolder(join(cwd, path), { makes: true }, (to) => {
    inHeldFolder(folder, {}, (from) => {
      for (const name of names.filter((one) => existsSync(join(from, one)))) move(join(from, name), join(to, name));
    });
    writeFile(join(to, 'summary.md'), summary, { flag: 'wx' });
  });
  // The prompt stays: the project may have made it its own.
  writeTemplates(project, templates);
  const message = `archive(ralph): ${label} — ${complete}/${total} stories completed`;
  // What lies outside of the project is not committed here.
  const paths = isAbsolute(ralphDir) ? [path] : [path, ralphDir];
  return { path, complete, total, ...(await committed(look, message, paths)) };
}

function refuseUntouched({ folder, ralphDir }: StoriesProject, list: string, templates: string): void {
  if (!isTemplate(list) || !isTemplatePrd(readPlain(join(folder, 'prd.md')), templates)) return;
  throw new RalphError('NOTHING_TO_ARCHIVE', `${ralphDir}/ still holds the templates`, {
    hint: `There is nothing to archive. Write ${ralphDir}/prd.md and ${ralphDir}/tasks.json first.`,
    exitCode: 1,
  });
}

/** The folder may lie on another disk than the project. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true });
  }
}

async function committed(look: ReadOnlyTree, message: string, paths: readonly string[]): Promise<Committed> {
  if ('problem' in look) return { commit: null, problem: look.problem };
  const inside = await look.tree.git(['rev-parse', '--is-inside-work-tree']);
  if (!inside.ok) return { commit: null, problem: 'not a git repository' };
  return ownCommit(look.tree, message, paths);
}

/** What is given, else the branch: the list's own, or the one that is checked out. */
async function labelOf({ label, look }: ArchiveRequest, { branch, project }: Listed): Promise<string> {
  const checkedOut = async (): Promise<string> =>
    'problem' in look ? '' : (await look.tree.git(['symbolic-ref', '--short', '--quiet', 'HEAD'])).stdout.trim();
  const chosen = label || branch || (await checkedOut()) || project || 'loop';
  const clean = chosen.replaceAll(/[^A-Za-z0-9._-]/g, '-');
  // A name of dots alone would lead elsewhere.
  return /^\.+$/.test(clean) ? 'loop' : clean;
}

type Listed = ReturnType<typeof listed>;

/** Also of a list that is not in order: it is being put away. */
function listed(text: string) {
  const parsed = parsedJson(text);
  const file = isFields(parsed) ? parsed : {};
  const word = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
  const branch = word(file.branchName);
  const stories = Array.isArray(file.userStories) ? file.userStories.filter(isFields) : [];
  return {
    project: word(file.project),
    // The template's is no name.
    branch: branch === 'ralph/feature-name' ? '' : branch,
    complete: stories.filter(({ passes }) => passes === true).length,
    total: stories.length,
  };
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
  return said ?? (existsSync(progress) ? dayOf(lstatSync(progress).birthtime) : 'unknown');
}

function summaryOf(
  label: string,
  { project, complete, total }: Listed,
  list: string,
  { began, today }: { readonly began: string; readonly today: string },
): string {
  const read = readTasks(list);
  const rows = (read.isValid ? read.tasks.userStories : []).map((story) => {
    const state = story.passes ? 'completed' : 'open';
    const cap = isCapApproval(story) ? ' (auto-approved at cap)' : '';
    const title = story.title.split(/\s+/).join(' ').replaceAll('|', '\\|');
    return `| ${story.id} | ${title} | ${state} | ${story.reviewCount}${cap} |`;
  });
  const table = rows.length === 0 ? [] : ['', '| Story | Title | State | Reviews |', '|---|---|---|---|', ...rows];
  return [
    `# Ralph Loop Archive: ${label}`,
    '',
    `- **Project:** ${project || label}`,
    `- **Archived:** ${today}`,
    `- **Date range:** ${began} – ${today}`,
    `- **Stories:** ${complete}/${total} completed`,
    ...table,
    '',
  ].join('\n');
}
