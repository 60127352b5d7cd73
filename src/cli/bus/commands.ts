/** `ralph bus read` shows the messages of a bus, `bus post` adds one, `bus discover` finds the nearest bus. */
import { existsSync, fstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse as parseYaml } from 'yaml';
import { appendMessage } from '../../bus/append.ts';
import { followMessages } from '../../bus/follow.ts';
import { fieldsOf, type Message } from '../../bus/message.ts';
import { type BusRead, readMessages, readTail } from '../../bus/read.ts';
import { RalphError } from '../../core/error.ts';
import { isFields } from '../../core/text/json.ts';
import { isProjectId, isTaskId } from '../../core/text/task-ids.ts';
import {
  foldersUpward,
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

type PostFlags = ScopeFlags & { readonly type: string; readonly run?: string; readonly body?: string };

interface ReadFlags extends ScopeFlags {
  /** How many messages; 0 for all. */
  readonly tail: number;
  readonly follow?: boolean;
  readonly type: readonly string[];
  readonly json?: boolean;
}

export async function readCommand(flags: ReadFlags, terminal: Terminal): Promise<number> {
  const { path } = findBus('read', flags, terminal);
  // Listen before the first message is shown, as its reader may interrupt at once.
  const stop = flags.follow === true ? untilInterrupted() : null;
  const { messages, end } = readLast(path, flags);
  // One line per message, with the field names of the file.
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
    const hint = 'A bus begins with its first message: ralph bus post --project … --body …';
    throw new RalphError('BUS_UNKNOWN', searched, { hint, exitCode: 1 });
  }
  await terminal.show(path);
  return 0;
}

/** A bus that does not exist yet can be followed, but not read. */
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

/** Uses local time, like everything that people read; the file and `--json` have UTC. */
export function lineOf({ ts, type, body }: Message): string {
  const at = Date.parse(ts);
  return `[${Number.isNaN(at) ? ts : clockSecond(at)}] (${type}) ${body}`;
}

export async function postCommand(flags: PostFlags, terminal: Terminal): Promise<number> {
  const env = terminal.environment.variables;
  const place = findBus('post', flags, terminal);
  const projectId = flags.project || place.projectId;
  if (!projectId) {
    const hint = 'Or give --project.';
    throw new RalphError('BUS_PROJECT', 'cannot infer project: run from inside a task or project directory', { hint });
  }
  // The task found here belongs to its project: a message of another project has no task unless one is given.
  const taskId = flags.task || (projectId === place.projectId ? place.taskId : undefined);
  const runId = flags.run || place.runId || env.JRUN_ID;
  // Do not wait for input at a terminal: a message can have an empty body.
  const body = flags.body || (fstatSync(0).isCharacterDevice() ? '' : await text(process.stdin));
  const draft = { type: flags.type, projectId, ...someIds({ taskId, runId }), body };
  // In a sandbox, the supervisor writes to the project's bus, because its folder also contains other tasks.
  const { [SANDBOX_VARIABLE]: sandbox, [JOBS_VARIABLE]: broker, JRUN_TASK_FOLDER: task } = env;
  const mustAsk = sandbox && broker && task && place.path === projectBus(dirname(task));
  const msgId = mustAsk ? await askToPost(broker, draft) : (await appendMessage(place.path, draft)).msgId;
  await terminal.show(`msg_id: ${msgId}`);
  return 0;
}

const BUS_NAMES = [TASK_BUS, PROJECT_BUS, 'MESSAGE-BUS.md'];

type Ids = Pick<Partial<Message>, 'projectId' | 'taskId' | 'runId'>;
/** The ids follow from where the bus is; flags override them. */
type FoundBus = Ids & { readonly path: string };

type Where = Pick<Terminal, 'cwd'> & { readonly environment: Pick<Terminal['environment'], 'variables'> };
type Wanted = ReturnType<typeof wantedBus>;

/** An agent posts to the bus that its loop set in the environment; a reader names the bus with flags. */
const WAYS = {
  post: [byEnvironment, byFlags, byRunInfo, byProject, byUpward],
  read: [byFlags, byEnvironment, byRunInfo, byProject, byUpward],
};

export function findBus(use: keyof typeof WAYS, flags: ScopeFlags, where: Where): FoundBus {
  const wanted = wantedBus(flags, where);
  for (const way of WAYS[use]) {
    const found = way(wanted);
    if (found !== null) return { ...idsByPlace(found.path), ...found };
  }
  const hint = 'Give --project, and --task for a task, or set JRUN_MESSAGE_BUS.';
  throw new RalphError('BUS_UNKNOWN', `no message bus in ${wanted.cwd} or in a folder above it`, { hint });
}

function wantedBus(flags: ScopeFlags, { cwd, environment: { variables: env } }: Where) {
  return { env, flags, cwd, root: tasksRoot(env, flags.root, cwd) };
}

/** The nearest bus in this folder or one above it; a task's before its project's. */
export function discoverBus(cwd: string): string | null {
  const paths = foldersUpward(cwd).flatMap((folder) => BUS_NAMES.map((name) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

function byEnvironment({ env, cwd }: Wanted): FoundBus | null {
  const path = env.JRUN_MESSAGE_BUS || env.MESSAGE_BUS;
  const ids = { projectId: env.JRUN_PROJECT_ID, taskId: env.JRUN_TASK_ID, runId: env.JRUN_ID };
  return path ? { path: resolve(cwd, path), ...someIds(ids) } : null;
}

function byFlags({ flags, env, root }: Wanted): FoundBus | null {
  const project = flags.project || (flags.task ? env.JRUN_PROJECT_ID : undefined);
  if (project) return busIn(root, project, flags.task);
  if (!flags.task) return null;
  throw new RalphError('BUS_UNKNOWN', `which project does task ${flags.task} belong to?`, { hint: 'Give --project.' });
}

/** In a run's folder, `<task>/runs/<run>`, or below it. */
function byRunInfo({ cwd }: Wanted): FoundBus | null {
  const isRun = (folder: string): boolean => basename(dirname(folder)) === 'runs' && existsSync(runFile.info(folder));
  const run = foldersUpward(cwd).find(isRun);
  if (run === undefined) return null;
  const task = dirname(dirname(run));
  const byFolders = { projectId: basename(dirname(task)), taskId: basename(task), runId: basename(run) };
  return { path: taskFile.bus(task), ...byFolders, ...idsInRunInfo(runFile.info(run)) };
}

/** In the folder of a project or of one of its tasks, or below it. */
function byProject({ cwd, root }: Wanted): FoundBus | null {
  const [project = '', task = ''] = relative(realPathOr(root, resolve(root)), realPathOr(cwd, resolve(cwd))).split(sep);
  return isProjectId(project) ? busIn(root, project, isTaskId(task) ? task : undefined) : null;
}

function byUpward({ cwd }: Wanted): FoundBus | null {
  const path = discoverBus(cwd);
  if (path === null) return null;
  const projectId = basename(dirname(dirname(path)));
  return { path, ...(basename(path) === TASK_BUS && isProjectId(projectId) ? { projectId } : {}) };
}

function busIn(root: string, project: string, task: string | undefined): FoundBus {
  return {
    path: task ? taskFile.bus(taskPlace(root, project, task).folder) : projectBus(projectFolder(root, project)),
  };
}

/** The ids in the names of the folders around a bus. */
function idsByPlace(path: string): Ids {
  const folder = dirname(path);
  const [name, above] = [basename(folder), basename(dirname(folder))];
  if (isTaskId(name) && isProjectId(above)) return { projectId: above, taskId: name };
  return isProjectId(name) ? { projectId: name } : {};
}

/** Returns no ids if the file cannot be read; the names of the folders have them, too. */
function idsInRunInfo(path: string): Ids {
  try {
    const info: unknown = parseYaml(readFileSync(path, 'utf8'), { schema: 'failsafe', logLevel: 'silent' });
    const { project_id: projectId, task_id: taskId, run_id: runId } = isFields(info) ? info : {};
    return someIds({ projectId, taskId, runId });
  } catch {
    // Damaged or forged: the names of the folders are enough.
    return {};
  }
}

/** Leaves out ids that are empty or not texts. */
function someIds(ids: { readonly [Name in keyof Ids]: unknown }): Ids {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => typeof id === 'string' && id !== ''));
}
