/** The files and messages by which a task says that it is done, waits or is to stop. */
import { existsSync, statSync } from 'node:fs';
import type { Message } from '../../../bus/message.ts';
import { readMessages } from '../../../bus/read.ts';
import { RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import type { Instant } from '../../../core/time.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { taskFile } from './task-folder.ts';

export const WAIT_MESSAGE_TYPE = 'wait_without_restart';

/** What the file of a stop holds that is not to be taken back by a new start. */
export const PERMANENT = 'permanent';

/** A request to stop holds so long; after that a new start is meant. */
const STOP_HOLDS_MS = 60_000;

export interface RunSpan {
  readonly runId: string;
  /** How long the bus was when the run began: what stands before is not of this run. */
  readonly busOffset: number;
}

/** Why it waits, in a few words; null when it does not. */
export function waitSignal(task: string, bus: string, run: RunSpan | null): string | null {
  if (existsSync(taskFile.waitWithoutRestart(task))) return 'WAIT_WITHOUT_RESTART is there';
  if (run === null) return null;
  const said = saidSince(bus, run).findLast(
    ({ type, runId }) => type === WAIT_MESSAGE_TYPE && (runId === undefined || runId === run.runId),
  );
  if (said === undefined) return null;
  return said.body.trim() === '' ? 'a message says so' : said.body.trim();
}

/** None of a bus that an agent has spoilt: the loop's next message tells of that. */
export function saidSince(bus: string, { busOffset }: RunSpan): readonly Message[] {
  if (!existsSync(bus)) return [];
  // A bus that is shorter than it was has been begun anew: all that it holds came later.
  const from = busSize(bus) < busOffset ? 0 : busOffset;
  try {
    return readMessages(bus, { from }).messages;
  } catch (error) {
    if (error instanceof RalphError) return [];
    throw error;
  }
}

/** A new start takes the old signals back. */
export function consumeSignals(task: string): void {
  // An agent may have made folders of them.
  for (const signal of [taskFile.waitWithoutRestart, taskFile.stopRequested]) removeEntry(signal(task));
}

/** Only a resume takes that back. */
export function isStoppedForGood(task: string): boolean {
  return readPlain(taskFile.stopRequested(task))?.trim() === PERMANENT;
}

export function isStopRequested(task: string, now: Instant): boolean {
  const path = taskFile.stopRequested(task);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  // Whatever stands there, it is a request.
  const text = readPlain(path)?.trim() ?? '';
  if (text === PERMANENT) return true;
  const at = Date.parse(text);
  return now - (Number.isNaN(at) ? stat.mtimeMs : at) < STOP_HOLDS_MS;
}

/** The presence of a DONE file is enough. */
export function isDone(task: string): boolean {
  const path = taskFile.done(task);
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() !== true) return stat !== undefined;
  } catch (error) {
    throw new RalphError('DONE', `stat DONE: ${path}: ${reasonOf(error)}`);
  }
  throw new RalphError('DONE', 'DONE is a directory', {
    hint: `A file says that the task is done. Remove the directory: ${path}`,
  });
}

export function busSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
