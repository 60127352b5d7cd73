/** `ralph bus read`: the last messages of a bus, and those that come. `bus post`: puts one there. `bus discover`: the nearest bus. */
import { existsSync, fstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse as parseYaml } from 'yaml';
import { appendMessage } from '../../bus/append.ts';
import { followMessages } from '../../bus/follow.ts';
import { fieldsOf, type Message } from '../../bus/message.ts';
import { type BusRead, readMessages, readTail } from '../../bus/read.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import { isProjectId, isTaskId } from '../../core/text/task-ids.ts';
import {
  PROJECT_BUS,
  projectBus,
  projectFolder,
  runFile,
  type ScopeFlags,
  TASK_BUS,
  taskFile,
  taskPlace,
  tasksRoot,
} from '../../loops/tasks/folder/task-folder.ts';
import { askToPost, JOBS_VARIABLE, SANDBOX_VARIABLE } from '../../loops/tasks/jobs/broker-client.ts';
import { realPathOr } from '../../process/files.ts';
import { type Terminal, untilInterrupted } from '../task/terminal.ts';
import { clockSecond } from '../terminal/words.ts';

interface PostFlags extends ScopeFlags {
  readonly type: string;
  readonly run?: string;
  readonly body?: string;
}

interface ReadFlags extends ScopeFlags {
  /** 0: all of them. */
  readonly tail: number;
  readonly follow?: boolean;
  readonly type: readonly string[];
  readonly json?: boolean;
}

export async function readCommand(flags: ReadFlags, terminal: Terminal): Promise<number> {
  const { path } = busFor('read', flags, terminal);
  // Before the first message is shown: its reader may interrupt at once.
  const stop = flags.follow === true ? untilInterrupted() : null;
  const { messages, end } = readLast(path, flags);
  // One line a message, with the names that its file has.
  const jsonOf = ({ body, ...message }: Message): string => JSON.stringify({ ...fieldsOf(message), body });
  const shown = flags.json === true ? jsonOf : lineOf;
  for (const message of messages) await terminal.show(shown(message));
  if (stop === null) return 0;
  const deserted = new AbortController();
  const signal = AbortSignal.any([stop, deserted.signal]);
  const types = flags.type.length === 0 ? {} : { types: flags.type };
  await followMessages(path, { from: end, signal, ...types }, async (message) => {
    await terminal.show(shown(message));
    if (terminal.isDeserted()) deserted.abort();
  });
  return 0;
}

export async function discoverCommand({ from }: { readonly from?: string }, terminal: Terminal): Promise<number> {
  const start = resolve(terminal.cwd, from ?? '.');
  const path = discoverBus(start);
  if (path === null) {
    const searched = `no message bus file found from ${JSON.stringify(start)} (searched for ${BUS_NAMES.join(', ')})`;
    throw new RalphError('BUS_UNKNOWN', searched, {
      hint: 'A bus begins with its first message: ralph bus post --project … --body …',
      exitCode: 1,
    });
  }
  await terminal.show(path);
  return 0;
}

function busFor(use: 'post' | 'read', flags: ScopeFlags, { cwd, environment }: Terminal): FoundBus {
  const env = environment.variables;
  return findBus({ use, env, flags, cwd, root: tasksRoot(env, flags.root, cwd) });
}

/** A bus that is not there yet can be followed, but not read. */
function readLast(path: string, { tail, follow, type }: ReadFlags): BusRead {
  const isWanted = (message: Message): boolean => type.length === 0 || type.includes(message.type);
  try {
    if (tail > 0) return readTail(path, tail, isWanted);
    const { messages, end } = readMessages(path);
    return { messages: messages.filter(isWanted), end };
  } catch (error) {
    if (follow === true && error instanceof RalphError && error.code === 'BUS_MISSING') return { messages: [], end: 0 };
    throw error;
  }
}

/** By the machine's own clock, as everything that people read; the file, and JSON, have UTC. */
function lineOf({ ts, type, body }: Message): string {
  const at = Date.parse(ts);
  return `[${Number.isNaN(at) ? ts : clockSecond(at)}] (${type}) ${body}`;
}

export async function postCommand(flags: PostFlags, terminal: Terminal): Promise<number> {
  const env = terminal.environment.variables;
  const place = busFor('post', flags, terminal);
  const projectId = flags.project || place.projectId;
  if (!projectId) {
    throw new RalphError('BUS_PROJECT', 'cannot infer project: run from inside a task or project directory', {
      hint: 'Or give --project.',
    });
  }
  // A task belongs to its project: another project's message has none, unless it says so.
  const taskId = flags.task || (projectId === place.projectId ? place.taskId : undefined);
  const runId = flags.run || place.runId || env.JRUN_ID;
  const draft = {
    type: flags.type,
    projectId,
    ...defined({ taskId: taskId || undefined, runId: runId || undefined }),
    // At a terminal nothing is asked for: a message without a body is a message.
    body: flags.body || (fstatSync(0).isCharacterDevice() ? '' : await text(process.stdin)),
  };
  // In a sandbox the bus of the project is written by the supervisor: the folder that it lies in holds other tasks.
  const { [SANDBOX_VARIABLE]: sandbox, [JOBS_VARIABLE]: broker, JRUN_TASK_FOLDER: task } = env;
  const mustAsk = sandbox && broker && task && place.path === projectBus(dirname(task));
  const msgId = mustAsk ? await askToPost(broker, draft) : (await appendMessage(place.path, draft)).msgId;
  await terminal.show(`msg_id: ${msgId}`);
  return 0;
}

const BUS_NAMES = [TASK_BUS, PROJECT_BUS, 'MESSAGE-BUS.md'];

/** The ids are those that go with the place; a message's author may know better. */
interface FoundBus {
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
