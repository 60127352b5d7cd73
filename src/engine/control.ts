/**
 * The append-only queue of the commands that people send to a loop, in its folder. Exactly one record consumes each
 * command, so a crash loses none. Nothing here is asynchronous or slow to load: hooks use it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopCommand } from '../core/action.ts';
import type { Told } from '../core/prompt/told.ts';
import type { Heard } from '../core/record.ts';
import { isFields, parsedJson } from '../core/text/json.ts';
import type { Instant } from '../core/time.ts';
import { ifThere, readPlainText, writeFile } from '../process/files.ts';
import { makePrivateFolder } from '../state/folders.ts';

export const CONTROL_FOLDER = 'control';
export const CONTROL_FILE = 'commands.jsonl';

/** `now` ends an agent that is at work. Without it, the command takes effect after the current iteration. */
export type Command = (
  | { readonly command: 'pause' | 'stop'; readonly now?: boolean }
  /** `voidsEarlier`: sent when a new supervisor resumes the loop. Earlier commands to pause or stop no longer apply. */
  | { readonly command: 'resume'; readonly voidsEarlier?: boolean }
  | { readonly command: Told['as']; readonly text: string }
) &
  /** The program that sent it on a person's behalf. */
  Pick<Told, 'from'>;

export type ControlCommand = Command & { readonly id: string; readonly at: Instant };

/** What a loop should do, after all commands so far. */
export type Wanted = 'run' | 'pause' | 'stop';

export interface Pending extends Required<Heard> {
  /** Null if no command concerns it. */
  readonly wanted: Wanted | null;
  readonly isUrgent: boolean;
  /** A person has told the running supervisor to continue. */
  readonly isResumed: boolean;
}

/** Returns the command's id in the queue. A command that is sent again with the same `id` is added only once. */
export function sendCommand(loop: string, command: LoopCommand | Command, id?: string): string {
  if (id !== undefined && readControl(loop).some((said) => said.id === id)) return id;
  makePrivateFolder(join(loop, CONTROL_FOLDER));
  const whole = typeof command === 'string' ? { command } : command;
  const said = { id: id ?? newId(), at: Date.now(), ...whole };
  // Begins with a newline: a writer that died in the middle of its line must not spoil this one.
  writeFile(join(loop, CONTROL_FOLDER, CONTROL_FILE), `\n${JSON.stringify(said)}\n`, { flag: 'a', mode: 0o600 });
  return said.id;
}

/** Without `node:crypto`, which is slow to load. */
function newId(): string {
  return [Date.now(), process.pid, Math.floor(Math.random() * 2 ** 32)].map((part) => part.toString(36)).join('-');
}

/** When a person continues the loop, a stop that was obeyed, or came too late to be, no longer applies. */
export function voidEarlierCommands(loop: string): void {
  if (readControl(loop).length > 0) sendCommand(loop, { command: 'resume', voidsEarlier: true });
}

export const wantedOf = (loop: string): Wanted => netOf(stillHolding(readControl(loop))) ?? 'run';

/** Whether any stop command was sent with `now`. */
export const isToldToStopNow = (loop: string): boolean =>
  readControl(loop).some((said) => said.command === 'stop' && said.now === true);

/** What to do about the commands since `consumed`; null if there are none. */
export function pendingControl(loop: string, consumed: string | null): Pending | null {
  return pendingIn(unconsumed(loop, consumed));
}

/** The messages that an agent gets before its work begins: those sent before the first pending pause or stop. */
export function heardBeforeWork(loop: string, consumed: string | null): Heard {
  const all = unconsumed(loop, consumed);
  const end = all.findIndex(({ command }) => command === 'pause' || command === 'stop');
  const pending = pendingIn(end < 0 ? all : all.slice(0, end));
  return pending === null ? {} : heardIn(pending);
}

/** In the form that a record stores. */
export function heardIn({ consumed, told }: Pending): Heard {
  return told.length === 0 ? { consumed } : { consumed, told };
}

/** Undefined if the loop already does what is wanted. */
export function commandFor({ wanted }: Pending, isPaused: boolean): LoopCommand | undefined {
  if (wanted === 'stop') return 'stop';
  if (isPaused) return wanted === 'run' ? 'resume' : undefined;
  return wanted === 'pause' ? 'pause' : undefined;
}

/** For a loop that waits for an answer. A person's `resume` continues without one, a new supervisor's does not. */
export function commandWhileAsking(pending: Pending): LoopCommand | undefined {
  if (hasAnswer(pending)) return commandFor(pending, false);
  return pending.wanted === 'stop' || pending.isResumed ? commandFor(pending, true) : undefined;
}

export const hasAnswer = ({ told }: Pick<Pending, 'told'>): boolean => told.some(({ as }) => as === 'answer');

function pendingIn(commands: readonly ControlCommand[]): Pending | null {
  const last = commands.at(-1);
  if (last === undefined) return null;
  const told = commands.flatMap((said) => ('text' in said ? [toldIn(said)] : []));
  const wanted = netOf(commands);
  const isUrgent = wanted !== 'run' && commands.some((said) => 'now' in said && said.now);
  const isResumed = commands.some((said) => said.command === 'resume' && said.voidsEarlier !== true);
  return { consumed: last.id, told, wanted, isUrgent, isResumed };
}

function toldIn({ command: as, text, from }: Extract<ControlCommand, { readonly text: string }>): Told {
  return typeof from === 'string' ? { as, text, from } : { as, text };
}

/** A stop wins, even over later commands; otherwise the last pause or resume counts. */
function netOf(commands: readonly ControlCommand[]): Wanted | null {
  const words = commands.map(({ command }) => command);
  if (words.includes('stop')) return 'stop';
  const last = words.findLast((word) => word === 'pause' || word === 'resume');
  return last === undefined ? null : last === 'pause' ? 'pause' : 'run';
}

function unconsumed(loop: string, consumed: string | null): ControlCommand[] {
  const all = readControl(loop);
  return stillHolding(all.slice(all.findIndex(({ id }) => id === consumed) + 1));
}

/** Drops the commands before the last one with `voidsEarlier`, except messages. */
function stillHolding(commands: readonly ControlCommand[]): ControlCommand[] {
  const last = commands.findLastIndex((said) => said.command === 'resume' && said.voidsEarlier === true);
  return commands.filter(({ command }, index) => index >= last || command === 'tell' || command === 'answer');
}

/** Skips lines that are empty or were cut off by their writer's death. */
export function readControl(loop: string): ControlCommand[] {
  // Without `join`, for speed: a list of loops calls this a thousand times.
  const text = textOf(`${loop}/${CONTROL_FOLDER}/${CONTROL_FILE}`);
  return text === null ? olderControl(loop) : text.split('\n').map(parsedJson).filter(isCommand);
}

function isCommand(said: unknown): said is ControlCommand {
  if (!isFields(said) || typeof said.id !== 'string') return false;
  const isTold = said.command === 'tell' || said.command === 'answer';
  return isTold ? typeof said.text === 'string' : ['pause', 'resume', 'stop'].includes(String(said.command));
}

/** Earlier releases stored one word in a file. */
function olderControl(loop: string): ControlCommand[] {
  const word = textOf(`${loop}/orders/order`)?.trim();
  return word === 'pause' || word === 'stop' ? [{ id: 'order', at: 0, command: word }] : [];
}

function textOf(path: string): string | null {
  // Checked at every wait, and usually missing: an exception would cost more than the rest of the wait.
  return existsSync(path) ? ifThere(() => readPlainText(path)) : null;
}
