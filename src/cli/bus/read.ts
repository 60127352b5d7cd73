/** `ralph bus read`: the last messages of a bus, and those that come. `ralph bus discover`: the nearest bus. */
import { resolve } from 'node:path';
import { fieldsOf } from '../../bus/entry.ts';
import { BUS_NAMES, discoverBus, type FoundBus, findBus } from '../../bus/find-bus.ts';
import { followMessages } from '../../bus/follow.ts';
import type { Message } from '../../bus/message.ts';
import { type BusRead, readMessages, readTail } from '../../bus/read.ts';
import { RalphError } from '../../core/error.ts';
import { tasksRoot } from '../../loops/tasks/folder/root.ts';
import { type Terminal, untilInterrupted } from '../task/terminal.ts';
import { clockSecond } from '../terminal/words.ts';

export interface BusFlags {
  readonly root?: string;
  readonly project?: string;
  readonly task?: string;
}

export interface ReadFlags extends BusFlags {
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

export function busFor(use: 'post' | 'read', flags: BusFlags, { cwd, environment }: Terminal): FoundBus {
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
