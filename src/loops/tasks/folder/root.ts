/** Which folder holds the tasks, and which project and task are meant without flags: the agent's own, or the folder's. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isProjectId, isTaskId } from '../../../core/text/task-ids.ts';
import { foldersIn } from '../runs/run-folder.ts';
import { taskFile } from './task-folder.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Which task is meant; what is left open is taken from where we are. */
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

/** The flag, else the root of the run that we are in, else the user's. */
export function tasksRoot(variables: Variables, flag: string | undefined, cwd: string): string {
  if (flag !== undefined && flag !== '') return resolve(cwd, flag);
  return around(variables, cwd)?.root ?? join(resolve(variables.HOME || '/'), '.run-agent', 'runs');
}

/** What the flags leave open is taken from where we are, as long as that lies under the same root. */
export function scopeOf(flags: ScopeFlags, variables: Variables, cwd: string): Scope {
  const root = tasksRoot(variables, flags.root, cwd);
  const here = around(variables, cwd);
  const isHere = here !== null && here.root === root;
  const project = flags.project || (isHere ? here.project : null);
  const task = flags.task || (isHere && project === here.project ? here.task : null);
  return { root, project, task };
}

/** The run's environment first: an agent may work in any folder. */
function around(variables: Variables, cwd: string): Scope | null {
  const folder = variables.JRUN_TASK_FOLDER || variables.TASK_FOLDER;
  return (folder ? placeOf(resolve(cwd, folder)) : null) ?? placeAbove(resolve(cwd));
}

function placeOf(folder: string): Scope | null {
  const [task, project, root] = [basename(folder), basename(dirname(folder)), dirname(dirname(folder))];
  return isTaskId(task) && isProjectId(project) ? { root, project, task } : null;
}

/** In a task's folder or below it, or in a project's: that is one in which tasks are. */
function placeAbove(cwd: string): Scope | null {
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) {
    const place = placeOf(folder);
    if (place !== null && (existsSync(taskFile.prompt(folder)) || existsSync(taskFile.runs(folder)))) return place;
  }
  if (!isProjectId(basename(cwd)) || !foldersIn(cwd).some(isTaskId)) return null;
  return { root: dirname(cwd), project: basename(cwd), task: null };
}
