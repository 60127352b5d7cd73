/** The files of a loop inside a session, besides its journal: the task, for its agent, and the log, for people. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LoopState } from '../../core/state.ts';
import { appendFile, makeFolders, writeFile } from '../../process/files.ts';
import type { Telling } from './messages.ts';
import type { SessionData } from './rules.ts';
import { loopNoteLine } from './wording.ts';

const LAST_LINES = 5;

export function taskFile(folder: string): string {
  return join(folder, 'task.txt');
}

/**
 * How an agent can be told the task. One that is too long to be told lies where the agent may read it: in `readable`, or,
 * where that is null, in the loop's own folder.
 */
export function tellingIn(
  readable: string | null,
  { longestText, unit }: Omit<Telling, 'taskFile'>,
  folder: string,
  task: string,
): Telling {
  const file = readable === null ? null : copyIn(readable, `${basename(folder)}-task.txt`, task);
  return { longestText, unit, taskFile: file ?? taskFile(folder) };
}

function copyIn(folder: string, name: string, task: string): string | null {
  const path = join(folder, name);
  try {
    makeFolders(folder, 0o700);
    if (!existsSync(path)) writeFile(path, task, { mode: 0o600 });
    return path;
  } catch {
    // Then there is the loop's own, for which the agent may have to ask a person.
    return null;
  }
}

/** One line per stop. */
export function logPath(folder: string): string {
  return join(folder, 'loop.log');
}

export function writeLog(folder: string, line: string): void {
  appendFile(logPath(folder), line, { mode: 0o600 });
}

export function note(folder: string, state: LoopState<SessionData>, what: string): void {
  writeLog(folder, loopNoteLine(state, what));
}

export function lastLogLines(folder: string): string[] {
  try {
    return readFileSync(logPath(folder), 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
  } catch {
    // A loop that was begun in this moment may have none yet.
    return [];
  }
}
