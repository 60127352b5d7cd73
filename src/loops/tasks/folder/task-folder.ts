/** Where everything of a task lies: `<root>/<project>/<task>/`, as task folders have always been laid out. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { compactSecond } from '../../../bus/message.ts';
import { RalphError } from '../../../core/error.ts';
import { checkProjectId, checkTaskId } from '../../../core/text/task-ids.ts';

export const TASK_BUS = 'TASK-MESSAGE-BUS.md';
export const PROJECT_BUS = 'PROJECT-MESSAGE-BUS.md';

export interface TaskPlace {
  /** Holds all projects. */
  readonly root: string;
  readonly project: string;
  readonly task: string;
  readonly folder: string;
}

/** Refuses names that would lead elsewhere. */
export function taskPlace(root: string, project: string, task: string): TaskPlace {
  return { root, project, task, folder: join(projectFolder(root, project), checkTaskId(task)) };
}

export function projectFolder(root: string, project: string): string {
  return join(root, checkProjectId(project));
}

export const taskFile = {
  prompt: (folder: string): string => join(folder, 'TASK.md'),
  done: (folder: string): string => join(folder, 'DONE'),
  waitWithoutRestart: (folder: string): string => join(folder, 'WAIT_WITHOUT_RESTART'),
  stopRequested: (folder: string): string => join(folder, 'STOP-REQUESTED'),
  bus: (folder: string): string => join(folder, TASK_BUS),
  config: (folder: string): string => join(folder, 'TASK-CONFIG.yaml'),
  propagation: (folder: string): string => join(folder, 'TASK-COMPLETE-FACT-PROPAGATION.yaml'),
  runs: (folder: string): string => join(folder, 'runs'),
} as const;

export function projectBus(projectFolder: string): string {
  return join(projectFolder, PROJECT_BUS);
}

export const runFile = {
  info: (run: string): string => join(run, 'run-info.yaml'),
  prompt: (run: string): string => join(run, 'prompt.md'),
  output: (run: string): string => join(run, 'output.md'),
  stdout: (run: string): string => join(run, STDOUT_NAME),
  stderr: (run: string): string => join(run, STDERR_NAME),
} as const;

export const STDOUT_NAME = 'agent-stdout.txt';
export const STDERR_NAME = 'agent-stderr.txt';

/** `task-20260220-153045-k3x9ab`: by the time (UTC), with a random slug unless one is given. */
export function newTaskId(now: Date, slug = randomSlug()): string {
  return `task-${compactSecond(now.toISOString())}-${slug}`;
}

function randomSlug(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length: 6 }, () => letters[Math.floor(Math.random() * letters.length)]).join('');
}

export function checkWorkFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new RalphError('WORK_TREE', `cannot work in ${path}: there is no such folder`, {
    hint: 'Choose the folder in which the agent works with --cwd.',
  });
}
