/** The layout of task folders, `<root>/<project>/<task>/`, which existing folders have, too. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { compactSecond } from '../../../bus/message.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { checkProjectId, checkTaskId, isProjectId, isTaskId } from '../../../core/text/task-ids.ts';
import { makeFolders, nullOn, realPathOr } from '../../../process/files.ts';
import { STDERR_NAME, STDOUT_NAME } from './output-names.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Which task is meant; what is not given follows from the environment and the current folder. */
export interface ScopeFlags {
  readonly root?: string;
  readonly project?: string;
  readonly task?: string;
}

export interface Scope {
  readonly root: string;
  readonly project: string | null;
  readonly task: string | null;
}

export interface TaskPlace extends Scope {
  readonly project: string;
  readonly task: string;
  readonly folder: string;
}

export const TASK_BUS = 'TASK-MESSAGE-BUS.md';
export const PROJECT_BUS = 'PROJECT-MESSAGE-BUS.md';

export const taskFile = {
  prompt: (folder: string): string => join(folder, 'TASK.md'),
  done: (folder: string): string => join(folder, 'DONE'),
  /** What DONE is renamed to until the work is reviewed. */
  claimedDone: (folder: string): string => join(folder, 'DONE.claimed'),
  waitWithoutRestart: (folder: string): string => join(folder, 'WAIT_WITHOUT_RESTART'),
  stopRequested: (folder: string): string => join(folder, 'STOP-REQUESTED'),
  bus: (folder: string): string => join(folder, TASK_BUS),
  config: (folder: string): string => join(folder, 'TASK-CONFIG.yaml'),
  propagation: (folder: string): string => join(folder, 'TASK-COMPLETE-FACT-PROPAGATION.yaml'),
  runs: (folder: string): string => join(folder, 'runs'),
} as const;

export const runFile = {
  info: (run: string): string => join(run, 'run-info.yaml'),
  prompt: (run: string): string => join(run, 'prompt.md'),
  output: (run: string): string => join(run, 'output.md'),
  stdout: (run: string): string => join(run, STDOUT_NAME),
  stderr: (run: string): string => join(run, STDERR_NAME),
} as const;

/** Refuses names that would lead to another folder. */
export function taskPlace(root: string, project: string, task: string): TaskPlace {
  return { root, project, task, folder: join(projectFolder(root, project), checkTaskId(task)) };
}

export function projectFolder(root: string, project: string): string {
  return join(root, checkProjectId(project));
}

export function projectBus(projectFolder: string): string {
  return join(projectFolder, PROJECT_BUS);
}

export function runFolder(task: string, runId: string): string {
  return join(taskFile.runs(task), runId);
}

/** The flag, else the root of the run or folder that we are in, else the user's default. */
export function tasksRoot(variables: Variables, flag: string | undefined, cwd: string): string {
  if (flag !== undefined && flag !== '') return resolve(cwd, flag);
  return scopeAround(variables, cwd)?.root ?? join(resolve(variables.HOME || '/'), '.run-agent', 'runs');
}

/** Fills in what the flags leave open from where we are, if that is under the same root. */
export function scopeOf(flags: ScopeFlags, variables: Variables, cwd: string): Scope {
  const root = tasksRoot(variables, flags.root, cwd);
  const here = scopeAround(variables, cwd);
  const isHere = here !== null && here.root === root;
  const project = flags.project || (isHere ? here.project : null);
  const task = flags.task || (isHere && project === here.project ? here.task : null);
  return { root, project, task };
}

/**
 * The run's environment comes first, because an agent can work in any folder. Otherwise we may be in a task's folder,
 * below one, or in a project's folder.
 */
function scopeAround(variables: Variables, cwd: string): Scope | null {
  const own = variables.JRUN_TASK_FOLDER || variables.TASK_FOLDER;
  const ofRun = own ? scopeAt(resolve(cwd, own)) : null;
  if (ofRun !== null) return ofRun;
  const isTask = (folder: string): boolean => existsSync(taskFile.prompt(folder)) || existsSync(taskFile.runs(folder));
  const around = foldersUpward(cwd).find((folder) => scopeAt(folder) !== null && isTask(folder));
  if (around !== undefined) return scopeAt(around);
  const [project, root] = [basename(resolve(cwd)), dirname(resolve(cwd))];
  return isProjectId(project) && foldersIn(resolve(cwd)).some(isTaskId) ? { root, project, task: null } : null;
}

/** This folder and all its parents. */
export function foldersUpward(folder: string): string[] {
  const path = resolve(folder);
  return path === dirname(path) ? [path] : [path, ...foldersUpward(dirname(path))];
}

function scopeAt(folder: string): Scope | null {
  const [task, project, root] = [basename(folder), basename(dirname(folder)), dirname(dirname(folder))];
  return isTaskId(task) && isProjectId(project) ? { root, project, task } : null;
}

/** `task-20260220-153045-k3x9ab`: the time (UTC) and a random slug. */
export function newTaskId(now: Date): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const slug = Array.from({ length: 6 }, () => letters[Math.floor(Math.random() * letters.length)]).join('');
  return `task-${compactSecond(now.toISOString())}-${slug}`;
}

/** `YYYYMMDD-HHMMSSffff-PID-SEQ`, in UTC; the first sequence number that is free. */
export function makeRunFolder(task: string, now: Date): { readonly runId: string; readonly folder: string } {
  const runs = taskFile.runs(task);
  if (statSync(runs, { throwIfNoEntry: false })?.isDirectory() !== true) makeFolder(runs);
  const fraction = String(now.getUTCMilliseconds()).padStart(3, '0');
  for (let seq = 1; ; seq++) {
    const runId = `${compactSecond(now.toISOString())}${fraction}0-${process.pid}-${seq}`;
    const folder = runFolder(task, runId);
    try {
      mkdirSync(folder, { mode: 0o755 });
      return { runId, folder };
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw cannotMake(folder, error);
    }
  }
}

export function makeFolder(path: string): void {
  try {
    makeFolders(path, 0o755);
  } catch (error) {
    throw cannotMake(path, error);
  }
}

function cannotMake(path: string, error: unknown): RalphError {
  const hint = 'Choose another root with --root, free some space, or change the permissions.';
  return new RalphError('TASK_FOLDER', `cannot make ${path}: ${reasonOf(error)}`, { hint });
}

/** The sorted names of the folders in a folder, without links and hidden ones; empty if the folder does not exist. */
export function foldersIn(folder: string): string[] {
  try {
    const entries = nullOn(['ENOENT', 'ENOTDIR'], () => readdirSync(folder, { withFileTypes: true })) ?? [];
    const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
    return folders.map(({ name }) => name).sort();
  } catch (error) {
    throw new RalphError('TASK_FOLDER', `cannot read ${folder}: ${reasonOf(error)}`);
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

export function checkWorkFolder(path: string): void {
  if (isFolder(path)) return;
  const hint = 'Choose the folder in which the agent works with --cwd.';
  throw new RalphError('WORK_TREE', `cannot work in ${path}: there is no such folder`, { hint });
}

/** Removes links in the folder, and does not follow them. */
export function removeFolder(root: string, folder: string): void {
  checkInside(root, folder);
  try {
    rmSync(folder, { recursive: true });
  } catch (error) {
    throw new RalphError('REMOVE', `cannot delete ${folder}: ${errnoOf(error) ?? String(error)}`, { exitCode: 1 });
  }
}

/** The folder's real path must be the one that its name says, below the root. */
export function checkInside(root: string, folder: string): void {
  const way = relative(root, folder);
  const real = realPathOr(folder, '');
  if (way !== '' && !way.startsWith('..') && real === join(realPathOr(root), way)) return;
  const why = real === '' ? 'it cannot be found' : `a link leads outside ${root}`;
  const hint = 'If that is intended, remove it by hand.';
  throw new RalphError('REMOVE', `will not delete ${folder}: ${why}`, { hint, exitCode: 1 });
}
