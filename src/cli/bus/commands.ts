/** `ralph bus read`: the last messages of a bus, and those that come. `bus post`: puts one there. `bus discover`: the nearest bus. */
import { fstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { appendMessage } from '../../bus/append.ts';
import { followMessages } from '../../bus/follow.ts';
import { fieldsOf, type Message } from '../../bus/message.ts';
import { type BusRead, readMessages, readTail } from '../../bus/read.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import { projectBus, type ScopeFlags, tasksRoot } from '../../loops/tasks/folder/task-folder.ts';
import { askToPost, JOBS_VARIABLE, SANDBOX_VARIABLE } from '../../loops/tasks/jobs/broker-client.ts';
import { type Terminal, untilInterrupted } from '../task/terminal.ts';
import { clockSecond } from '../terminal/words.ts';
import { BUS_NAMES, discoverBus, type FoundBus, findBus } from './find-bus.ts';

export interface PostFlags extends ScopeFlags {
  readonly type: string;
  readonly run?: string;
  readonly body?: string;
}

export interface ReadFlags extends ScopeFlags {
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

/** One line a message, with the names that its file has. */
function jsonOf({ body, ...message }: Message): string {
  return JSON.stringify({ ...fieldsOf(message), body });
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
    body: flags.body || (await pipedText()),
  };
  const broker = brokerFor(place.path, env);
  const msgId = broker === null ? (await appendMessage(place.path, draft)).msgId : await askToPost(broker, draft);
  await terminal.show(`msg_id: ${msgId}`);
  return 0;
}

/** In a sandbox the bus of the project is written by the supervisor: the folder that it lies in holds other tasks. */
function brokerFor(bus: string, env: Readonly<Record<string, string | undefined>>): string | null {
  const { [SANDBOX_VARIABLE]: sandbox, [JOBS_VARIABLE]: broker, JRUN_TASK_FOLDER: task } = env;
  return sandbox && broker && task && bus === projectBus(dirname(task)) ? broker : null;
}

/** At a terminal nothing is asked for: a message without a body is a message. */
async function pipedText(): Promise<string> {
  if (fstatSync(0).isCharacterDevice()) return '';
  return text(process.stdin);
}
