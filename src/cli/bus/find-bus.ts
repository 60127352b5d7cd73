/** Which bus is meant: by the environment, by flags, or by the folder one is in. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { RalphError } from '../../core/error.ts';
import { isProjectId, isTaskId } from '../../core/text/task-ids.ts';
import {
  PROJECT_BUS,
  projectBus,
  projectFolder,
  runFile,
  TASK_BUS,
  taskFile,
  taskPlace,
} from '../../loops/tasks/folder/task-folder.ts';
import { realPathOr } from '../../process/files.ts';

export const BUS_NAMES = [TASK_BUS, PROJECT_BUS, 'MESSAGE-BUS.md'];

/** The ids are those that go with the place; a message's author may know better. */
export interface FoundBus {
  readonly path: string;
  readonly projectId?: string;
  readonly taskId?: string;
  readonly runId?: string;
}

export interface Wanted {
  readonly use: 'post' | 'read';
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: { readonly project?: string; readonly task?: string };
  readonly cwd: string;
  /** The folder of the projects. */
  readonly root: string;
}

/** An agent posts where its loop told it to; a reader says what to read. */
const WAYS = {
  post: [byEnvironment, byFlags, byRunInfo, byProject, byUpward],
  read: [byFlags, byEnvironment, byRunInfo, byProject, byUpward],
};

export function findBus(wanted: Wanted): FoundBus {
  for (const way of WAYS[wanted.use]) {
    const found = way(wanted);
    if (found !== null) return { ...idsByPlace(found.path), ...found };
  }
  throw new RalphError('BUS_UNKNOWN', `no message bus in ${wanted.cwd} or in a folder above it`, {
    hint: 'Give --project, and --task for a task, or set JRUN_MESSAGE_BUS.',
  });
}

/** The nearest bus in this folder or one above it; a task's before its project's. */
export function discoverBus(cwd: string): string | null {
  return firstUpward(
    cwd,
    (folder) => BUS_NAMES.map((name) => join(folder, name)).find((path) => existsSync(path)) ?? null,
  );
}

function byEnvironment({ env, cwd }: Wanted): FoundBus | null {
  const path = env.JRUN_MESSAGE_BUS || env.MESSAGE_BUS;
  return path ? { path: resolve(cwd, path), ...someIds(env.JRUN_PROJECT_ID, env.JRUN_TASK_ID, env.JRUN_ID) } : null;
}

function byFlags({ flags, env, root }: Wanted): FoundBus | null {
  const project = flags.project || (flags.task ? env.JRUN_PROJECT_ID : undefined);
  if (project) return busIn(root, project, flags.task);
  if (!flags.task) return null;
  throw new RalphError('BUS_UNKNOWN', `which project is task ${flags.task} of?`, { hint: 'Give --project.' });
}

/** In a run's folder, `<task>/runs/<run>`, or below it. */
function byRunInfo({ cwd }: Wanted): FoundBus | null {
  const run = firstUpward(cwd, (folder) => {
    const isRun = basename(dirname(folder)) === 'runs' && existsSync(runFile.info(folder));
    return isRun ? folder : null;
  });
  if (run === null) return null;
  const task = dirname(dirname(run));
  const { project_id: project = basename(dirname(task)), task_id: id = basename(task), run_id } = readRunInfo(run);
  return { path: taskFile.bus(task), ...someIds(project, id, run_id ?? basename(run)) };
}

/** In the folder of a project or of one of its tasks, or below it. */
function byProject({ cwd, root }: Wanted): FoundBus | null {
  const [project = '', task = ''] = relative(realPathOr(root, resolve(root)), realPathOr(cwd, resolve(cwd))).split(sep);
  return isProjectId(project) ? busIn(root, project, isTaskId(task) ? task : undefined) : null;
}

function byUpward({ cwd }: Wanted): FoundBus | null {
  const path = discoverBus(cwd);
  if (path === null) return null;
  const above = basename(dirname(dirname(path)));
  return { path, ...someIds(basename(path) === TASK_BUS && isProjectId(above) ? above : '') };
}

function busIn(root: string, project: string, task: string | undefined): FoundBus {
  return {
    path: task ? taskFile.bus(taskPlace(root, project, task).folder) : projectBus(projectFolder(root, project)),
  };
}

/** What a bus's own folder says. */
function idsByPlace(path: string): Omit<FoundBus, 'path'> {
  const folder = dirname(path);
  const [name, above] = [basename(folder), basename(dirname(folder))];
  if (isTaskId(name) && isProjectId(above)) return { projectId: above, taskId: name };
  return isProjectId(name) ? { projectId: name } : {};
}

function firstUpward(cwd: string, look: (folder: string) => string | null): string | null {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = look(folder);
    if (found !== null) return found;
    if (folder === dirname(folder)) return null;
  }
}

/** What cannot be read tells no ids; the folders' names do. */
function readRunInfo(run: string): Readonly<Record<string, string | undefined>> {
  try {
    const info: unknown = parseYaml(readFileSync(runFile.info(run), 'utf8'), {
      schema: 'failsafe',
      logLevel: 'silent',
    });
    const entries = typeof info === 'object' && info !== null ? Object.entries(info) : [];
    return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value !== ''));
  } catch {
    // Torn or forged: the place of the file has said what matters.
    return {};
  }
}

function someIds(projectId?: string, taskId?: string, runId?: string): Omit<FoundBus, 'path'> {
  return { ...(projectId ? { projectId } : {}), ...(taskId ? { taskId } : {}), ...(runId ? { runId } : {}) };
}
