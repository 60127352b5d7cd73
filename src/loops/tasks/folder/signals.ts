/**
 * What people and agents can change while a task runs: its prompt, and the files and messages by which it is done,
 * waits, or is asked to stop.
 */
import { existsSync, lstatSync, renameSync, statSync } from 'node:fs';
import type { Message } from '../../../bus/message.ts';
import { readMessages } from '../../../bus/read.ts';
import { errnoOf, handled, RalphError } from '../../../core/error.ts';
import type { Result } from '../../../core/record.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { digestOf } from '../../../core/text/digest.ts';
import type { Instant } from '../../../core/time.ts';
import { ifThere, readPlain, readPlainText, writeFile } from '../../../process/files.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import { isSandboxed, type TaskRequest } from '../request.ts';
import type { RunSpan, Seen, TaskInputs } from '../state.ts';
import { taskFile } from './task-folder.ts';

export const WAIT_MESSAGE_TYPE = 'wait_without_restart';
const QUESTION = 'QUESTION';

/** The content of STOP-REQUESTED if a new start must not cancel the stop. */
export const PERMANENT = 'permanent';

/** How long a request to stop is valid. */
const STOP_HOLDS_MS = 60_000;

/** Messages that were posted after the last run count, too, until another run begins. */
export function taskInputsReader(request: TaskRequest, maxRestarts: number) {
  let last: string | null = null;
  let isTold = false;
  /** If an agent deletes TASK.md, the loop continues with the text that it read last. */
  const promptNow = (): { readonly prompt: string; readonly unreadPrompt?: string } => {
    try {
      last = readTaskPrompt(request.folder, isSandboxed(request));
      isTold = false;
      return { prompt: last };
    } catch (error) {
      if (last === null || existsSync(taskFile.prompt(request.folder)) || !(error instanceof RalphError)) throw error;
      const unread = isTold ? {} : { unreadPrompt: 'TASK.md not found' };
      isTold = true;
      return { prompt: last, ...unread };
    }
  };
  return (known: string | null, lastRun: RunSpan | null): Extract<Result, { kind: 'inputs' }> => {
    const { folder, kind } = request;
    // A job has only one run, so there are no signals between runs.
    const look = kind === 'job' ? { isDone: isDone(folder) } : lookAtTask(request, lastRun);
    const { isDone: done, question: _asked, ...said }: Partial<Seen> & Pick<Seen, 'isDone'> = look;
    // A task that is done needs no prompt, but its reviewer does.
    const isNeeded = request.prompt === null && (!done || request.review !== undefined);
    const { prompt, ...unread } = isNeeded ? promptNow() : { prompt: request.prompt ?? '' };
    const inputs: TaskInputs = { prompt, isDone: done, maxRestarts, ...said };
    const digest = digestOf(JSON.stringify(inputs));
    return { kind: 'inputs', digest, ...(digest === known ? {} : { inputs: { ...inputs } }), ...unread };
  };
}

export function lookAtTask({ folder, bus }: TaskRequest, lastRun: RunSpan | null): Seen {
  const said = saidInRun(bus, lastRun);
  const signal = waitSignalIn(folder, said);
  const question = questionIn(said);
  return {
    isDone: isDone(folder),
    wait: signal === null ? null : (question ?? signal),
    question,
    stopRequested: isStopRequested(folder, Date.now()),
  };
}

/** What the agent asked in this run, or what it said it waits for: more useful than the mere fact that it waits. */
function questionIn(said: readonly Message[]): string | null {
  const bodyOf = (wanted: string): string => said.findLast(({ type }) => type === wanted)?.body.trim() ?? '';
  return bodyOf(QUESTION) || bodyOf(WAIT_MESSAGE_TYPE) || null;
}

/** Only the prompt was masked, so only the prompt is read again; everything else stays as it was recorded. */
export function wholeInputs(request: TaskRequest, masked: TaskInputs): TaskInputs {
  return { ...masked, prompt: request.prompt ?? readTaskPrompt(request.folder, isSandboxed(request)) };
}

/** A sandboxed agent could link TASK.md to a file that it must not read, and then get that file as its prompt. */
export function readTaskPrompt(folder: string, isLinkRefused: boolean): string {
  const path = taskFile.prompt(folder);
  try {
    const text = isLinkRefused ? readPlain(path) : readPlainText(path);
    if (text !== null) return text.trim();
    const isLink = lstatSync(path).isSymbolicLink();
    throw new Error(`${path} is ${isLink ? 'a link, which is not followed in a sandbox' : 'not a plain file'}`);
  } catch (error) {
    const isMissing = errnoOf(error) === 'ENOENT';
    const fact = isMissing ? 'TASK.md not found and no prompt provided' : `read TASK.md: ${reasonOf(error)}`;
    throw new RalphError('TASK_MD', fact, { hint: `Give --prompt or --prompt-file, or write the task into ${path}` });
  }
}

/** Why the task waits, in a few words; null if it does not. */
export function waitSignal(task: string, bus: string, run: RunSpan | null): string | null {
  return waitSignalIn(task, saidInRun(bus, run));
}

function waitSignalIn(task: string, said: readonly Message[]): string | null {
  if (existsSync(taskFile.waitWithoutRestart(task))) return 'WAIT_WITHOUT_RESTART exists';
  const last = said.findLast(({ type }) => type === WAIT_MESSAGE_TYPE);
  return last === undefined ? null : last.body.trim() || 'a message says so';
}

/** The questions and wait messages of this run, including messages without a run id. */
function saidInRun(bus: string, run: RunSpan | null): readonly Message[] {
  if (run === null) return [];
  const said = saidSince(bus, run, [QUESTION, WAIT_MESSAGE_TYPE]);
  return said.filter(({ runId = run.runId }) => runId === run.runId);
}

/** Messages of these types since the run began. Empty if an agent has damaged the bus: the next post reports that. */
export function saidSince(bus: string, { busOffset }: RunSpan, types: readonly string[]): readonly Message[] {
  const size = busSize(bus);
  if (size === 0) return [];
  // If the bus is shorter than before, it was started over, and all its messages are newer.
  const from = size < busOffset ? 0 : busOffset;
  const read = (): readonly Message[] => readMessages(bus, { from, types }).messages;
  return handled(read, () => []);
}

/** A new start cancels the old signals. */
export function consumeSignals(task: string): void {
  // An agent may have put folders in their place.
  for (const signal of [taskFile.waitWithoutRestart, taskFile.stopRequested]) removeEntry(signal(task));
}

/** Only a resume cancels such a stop. */
export function isStoppedForGood(task: string): boolean {
  return readPlain(taskFile.stopRequested(task))?.trim() === PERMANENT;
}

export function isStopRequested(task: string, now: Instant): boolean {
  const path = taskFile.stopRequested(task);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (isStoppedForGood(task)) return true;
  // A file without a valid time is a request, too.
  const at = Date.parse(readPlain(path)?.trim() ?? '');
  return now - (Number.isNaN(at) ? stat.mtimeMs : at) < STOP_HOLDS_MS;
}

/** The presence of a DONE file is enough. */
export function isDone(task: string): boolean {
  const path = taskFile.done(task);
  try {
    // (Since Node.js 22, `throwIfNoEntry` also hides the error if a parent is not a folder.)
    const stat = ifThere(() => statSync(path));
    if (stat?.isDirectory() !== true) return stat !== null;
  } catch (error) {
    throw new RalphError('DONE', `stat DONE: ${path}: ${reasonOf(error)}`);
  }
  const hint = `A file says that the task is done. Remove the directory: ${path}`;
  throw new RalphError('DONE', 'DONE is a directory', { hint });
}

/** Renames DONE, so that tasks that depend on this one wait. Harmless if repeated. */
export function holdDone(task: string): void {
  if (!isDone(task)) return;
  removeEntry(taskFile.claimedDone(task));
  renameSync(taskFile.done(task), taskFile.claimedDone(task));
}

/** Restores DONE as the agent wrote it, or an empty file if that is gone. */
export function putBackDone(task: string): void {
  if (isDone(task)) return;
  const claimed = taskFile.claimedDone(task);
  if (lstatSync(claimed, { throwIfNoEntry: false }) === undefined) writeFile(taskFile.done(task), '', { flag: 'wx' });
  else renameSync(claimed, taskFile.done(task));
}

export function busSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
