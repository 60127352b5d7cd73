/** `ralph bus read`: the last messages of a bus, and those that come. */
import { findBus } from '../../bus/find-bus.ts';
import { followMessages } from '../../bus/follow.ts';
import type { Message } from '../../bus/message.ts';
import { type BusRead, readMessages, readTail } from '../../bus/read.ts';
import { readTailWhere } from '../../bus/read-tail-where.ts';
import { RalphError } from '../../core/error.ts';
import { tasksRoot } from '../../loops/tasks/folder/root.ts';
import { type Terminal, untilInterrupted } from '../task/terminal.ts';
import { clockSecond } from '../words.ts';
import { type BusFlags, busFlags } from './flags.ts';

export interface ReadFlags extends BusFlags {
  /** 0: all of them. */
  readonly tail: number;
  readonly follow?: boolean;
  readonly type: readonly string[];
  readonly json?: boolean;
}

export async function readCommand(flags: ReadFlags, terminal: Terminal): Promise<number> {
  const { cwd } = terminal;
  const env = terminal.environment.variables;
  const { path } = findBus({ use: 'read', env, flags: busFlags(flags), cwd, root: tasksRoot(env, flags.root, cwd) });
  // Before the first message is shown: whoever has seen it may interrupt.
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

/** A bus that is not there yet can be followed, but not read. */
function readLast(path: string, { tail, follow, type }: ReadFlags): BusRead {
  try {
    if (type.length === 0) return tail > 0 ? readTail(path, tail) : readMessages(path);
    const isWanted = (message: Message): boolean => type.includes(message.type);
    if (tail > 0) return readTailWhere(path, tail, isWanted);
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
function jsonOf({ msgId, ts, type, projectId, taskId, runId, issueId, parents, links, meta, body }: Message): string {
  const ids = { msg_id: msgId, ts, type, project_id: projectId, task_id: taskId, run_id: runId, issue_id: issueId };
  const related = parents?.map(({ msgId: id, ...rest }) => ({ msg_id: id, ...rest }));
  return JSON.stringify({ ...ids, parents: related, links, meta, body });
}
