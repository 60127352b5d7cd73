/** `ralph stories archive`: files a loop's papers away, commits them, and leaves a fresh start. */
import { cpSync, existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { writeFile } from '../../../process/files.ts';
import { inHeldFolder } from '../../../state/held-folder.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { TOLD_FILES } from '../files/messages.ts';
import { type Committed, ownCommit } from '../files/own-commit.ts';
import { refuseLeadingOut } from '../files/project-file.ts';
import { isTemplate } from '../inputs.ts';
import { isFields, parsedJson } from '../list/json.ts';
import { isCapApproval } from '../list/judge.ts';
import { readTasks, type TasksFile } from '../list/tasks.ts';
import { dayOf, isTemplatePrd, writeTemplates } from './init.ts';
import type { OutsideLook } from './read-only-worktree.ts';

export interface ArchiveRequest {
  readonly projectDir: string;
  /** The folder with the papers, as seen from the project's. */
  readonly ralphDir: string;
  readonly label: string | null;
  readonly includeLogs: boolean;
  readonly templates: string;
  readonly now: Date;
  readonly look: OutsideLook;
  /** Ends loops that were cut off: what they put back would be put into the next plan. */
  readonly endLoops: () => Promise<unknown>;
}

export interface Archived extends Committed {
  /** As seen from the project's folder. */
  readonly path: string;
  readonly label: string;
  readonly complete: number;
  readonly total: number;
}

const PAPERS = ['prd.md', 'tasks.json', 'progress.txt', ...TOLD_FILES] as const;

export async function archiveStories(request: ArchiveRequest): Promise<Archived> {
  const { projectDir, ralphDir, templates, now } = request;
  refuseLeadingOut(projectDir, ralphDir);
  const folder = resolve(projectDir, ralphDir);
  const text = readPlain(join(folder, 'tasks.json'));
  if (text === null) {
    throw new RalphError('NOTHING_TO_ARCHIVE', `${ralphDir}/tasks.json not found`, {
      hint: 'There is nothing to archive; prepare the project with: ralph stories init',
      exitCode: 1,
    });
  }
  refuseUntouched(folder, text, request);
  await request.endLoops();
  const read = readTasks(text);
  const tasks = read.isValid ? read.tasks : null;
  const label = await labelOf(request, text);
  const { complete, total } = countOf(text);
  const path = freePath(projectDir, `${dayOf(now)}-${label}`);
  const began = startOf(join(folder, 'progress.txt'));
  const summary = summaryOf({ project: projectOf(text), label, complete, total, tasks, began, now });
  const names = request.includeLogs ? [...PAPERS, 'logs'] : PAPERS;
  inHeldFolder(join(projectDir, path), { makes: true }, (to) => {
    inHeldFolder(folder, {}, (from) => {
      for (const name of names.filter((one) => existsSync(join(from, one)))) move(join(from, name), join(to, name));
    });
    writeFile(join(to, 'summary.md'), summary, { flag: 'wx' });
  });
  // The prompt stays: the project may have made it its own.
  writeTemplates(folder, { projectDir, name: null, templates, now }, { overwrites: false });
  const message = `archive(ralph): ${label} — ${complete}/${total} stories completed`;
  const done = await committed(request, message, path);
  return { path, label, complete, total, ...done };
}

/** Nothing was planned and nothing was done: an archive of the templates helps nobody. */
function refuseUntouched(folder: string, list: string, { ralphDir, templates }: ArchiveRequest): void {
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

async function committed({ ralphDir, look }: ArchiveRequest, message: string, path: string): Promise<Committed> {
  if ('problem' in look) return { commit: null, problem: look.problem };
  const { tree } = look;
  const inside = await tree.git(['rev-parse', '--is-inside-work-tree']);
  if (!inside.ok) return { commit: null, problem: 'not a git repository' };
  // What lies outside of the project is nobody's to commit here.
  return ownCommit({ tree, message, paths: isAbsolute(ralphDir) ? [path] : [path, ralphDir] });
}

/** What is given, else the branch: the list's own, or the one that is checked out. */
async function labelOf({ label, look }: ArchiveRequest, text: string): Promise<string> {
  const branch = async (): Promise<string> =>
    'problem' in look ? '' : (await look.tree.git(['symbolic-ref', '--short', '--quiet', 'HEAD'])).stdout.trim();
  const chosen = label || branchOf(text) || (await branch()) || projectOf(text) || 'loop';
  const clean = chosen.replaceAll(/[^A-Za-z0-9._-]/g, '-');
  // A name of dots alone would lead elsewhere.
  return /^\.+$/.test(clean) ? 'loop' : clean;
}

/** Not the template's: nobody has named that one. */
function branchOf(text: string): string {
  const file = parsedJson(text);
  const name = isFields(file) && typeof file.branchName === 'string' ? file.branchName.trim() : '';
  return name === 'ralph/feature-name' ? '' : name;
}

function projectOf(text: string): string {
  const file = parsedJson(text);
  return isFields(file) && typeof file.project === 'string' ? file.project.trim() : '';
}

/** Also of a list that is not in order: it is being put away. */
function countOf(text: string): { complete: number; total: number } {
  const file = parsedJson(text);
  const stories = isFields(file) && Array.isArray(file.userStories) ? file.userStories.filter(isFields) : [];
  return { complete: stories.filter(({ passes }) => passes === true).length, total: stories.length };
}

function freePath(projectDir: string, name: string): string {
  for (let twin = 1; ; twin++) {
    const path = join('ralph-archive', twin === 1 ? name : `${name}-${twin}`);
    if (!existsSync(join(projectDir, path))) return path;
  }
}

/** `Started: 2026-01-02` of the progress log, or when that file was made. */
function startOf(progress: string): string {
  const said = /^Started:\s*(\d{4}-\d{2}-\d{2})/m.exec(readPlain(progress) ?? '')?.[1];
  return said ?? (existsSync(progress) ? dayOf(lstatSync(progress).birthtime) : 'unknown');
}

interface Summary {
  readonly project: string;
  readonly label: string;
  readonly complete: number;
  readonly total: number;
  readonly tasks: TasksFile | null;
  readonly began: string;
  readonly now: Date;
}

function summaryOf({ project, label, complete, total, tasks, began, now }: Summary): string {
  const today = dayOf(now);
  const rows = (tasks?.userStories ?? []).map((story) => {
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
