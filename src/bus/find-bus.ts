/** Which bus is meant: by the environment, by flags, or by the folder one is in. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { RalphError } from '../core/error.ts';
import { checkProjectId, checkTaskId, isProjectId, isTaskId } from '../core/text/task-ids.ts';
import { realPathOr } from '../process/files.ts';

export const TASK_BUS = 'TASK-MESSAGE-BUS.md';
export const PROJECT_BUS = 'PROJECT-MESSAGE-BUS.md';
export const BUS_NAMES = [TASK_BUS, PROJECT_BUS, 'MESSAGE-BUS.md'];

export interface Ids {
  readonly projectId?: string;
  readonly taskId?: string;
  readonly runId?: string;
}

/** The ids are those that go with the place; a message's author may know better. */
export interface FoundBus extends Ids {
  readonly path: string;
  readonly by: 'environment' | 'flags' | 'run-info' | 'project' | 'upward';
}

export interface Wanted {
  readonly use: 'post' | 'read';
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: { readonly bus?: string; readonly project?: string; readonly task?: string };
  readonly cwd: string;
  /** The folder of the projects. */
  readonly root: string;
}

type Way = (wanted: Wanted) => FoundBus | null;

/** An agent posts where its loop told it to; a reader says what to read. */
const WAYS: Readonly<Record<Wanted['use'], readonly Way[]>> = {
  post: [byEnvironment, byFlags, byRunInfo, byProject, byUpward],
  read: [byFlags, byEnvironment, byRunInfo, byProject, byUpward],
};

export function findBus(wanted: Wanted): FoundBus {
  for (const way of WAYS[wanted.use]) {
    const found = way(wanted);
    if (found !== null) return found;
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

export function taskBus(root: string, projectId: string, taskId: string): string {
  return join(root, checkProjectId(projectId), checkTaskId(taskId), TASK_BUS);
}

export function projectBus(root: string, projectId: string): string {
  return join(root, checkProjectId(projectId), PROJECT_BUS);
}

function byEnvironment({ env, cwd }: Wanted): FoundBus | null {
  const path = env.JRUN_MESSAGE_BUS || env.MESSAGE_BUS;
  if (!path) return null;
  const ids = someIds(env.JRUN_PROJECT_ID, env.JRUN_TASK_ID, env.JRUN_ID);
  return { path: resolve(cwd, path), by: 'environment', ...ids };
}

function byFlags({ flags, env, cwd, root }: Wanted): FoundBus | null {
  if (flags.bus) return { path: resolve(cwd, flags.bus), by: 'flags', ...someIds(flags.project, flags.task) };
  const project = flags.project || (flags.task ? env.JRUN_PROJECT_ID : undefined);
  if (!project) {
    if (!flags.task) return null;
    throw new RalphError('BUS_UNKNOWN', `which project is task ${flags.task} of?`, { hint: 'Give --project.' });
  }
  const path = flags.task ? taskBus(root, project, flags.task) : projectBus(root, project);
  return { path, by: 'flags', ...someIds(project, flags.task) };
}

/** In a run's folder, `<task>/runs/<run>`, or below it. */
function byRunInfo({ cwd }: Wanted): FoundBus | null {
  const run = firstUpward(cwd, (folder) => {
    const isRun = basename(dirname(folder)) === 'runs' && existsSync(join(folder, 'run-info.yaml'));
    return isRun ? folder : null;
  });
  if (run === null) return null;
  const task = dirname(dirname(run));
  const info = readRunInfo(join(run, 'run-info.yaml'));
  const ids = someIds(
    info.project_id ?? basename(dirname(task)),
    info.task_id ?? basename(task),
    info.run_id ?? basename(run),
  );
  return { path: join(task, TASK_BUS), by: 'run-info', ...ids };
}

/** In the folder of a project or of one of its tasks, or below it. */
function byProject({ cwd, root }: Wanted): FoundBus | null {
  const [project = '', task = ''] = relative(realPathOr(root, resolve(root)), realPathOr(cwd, resolve(cwd))).split(sep);
  if (!isProjectId(project)) return null;
  if (isTaskId(task)) return { path: taskBus(root, project, task), by: 'project', ...someIds(project, task) };
  return { path: projectBus(root, project), by: 'project', projectId: project };
}

function byUpward({ cwd }: Wanted): FoundBus | null {
  const path = discoverBus(cwd);
  if (path === null) return null;
  const folder = dirname(path);
  const [project, task] =
    basename(path) === TASK_BUS ? [basename(dirname(folder)), basename(folder)] : [basename(folder), ''];
  return { path, by: 'upward', ...someIds(isProjectId(project) ? project : '', isTaskId(task) ? task : '') };
}

function firstUpward(cwd: string, look: (folder: string) => string | null): string | null {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = look(folder);
    if (found !== null) return found;
    if (folder === dirname(folder)) return null;
  }
}

/** What cannot be read tells no ids; the folders' names do. */
function readRunInfo(path: string): Readonly<Record<string, string | undefined>> {
  try {
    const info: unknown = parseYaml(readFileSync(path, 'utf8'), { schema: 'failsafe', logLevel: 'silent' });
    const entries = typeof info === 'object' && info !== null ? Object.entries(info) : [];
    return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value !== ''));
  } catch {
    // Torn or forged: the place of the file has said what matters.
    return {};
  }
}

function someIds(projectId?: string, taskId?: string, runId?: string): Ids {
  return { ...(projectId ? { projectId } : {}), ...(taskId ? { taskId } : {}), ...(runId ? { runId } : {}) };
}
