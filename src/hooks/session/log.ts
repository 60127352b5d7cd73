/** The log of a loop inside a session: one line per stop, for people. The journal is the truth. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopState } from '../../core/state.ts';
import type { SessionData } from '../../loops/session/rules.ts';
import { loopNoteLine } from '../../loops/session/wording.ts';
import { appendFile } from '../../process/files.ts';

const LAST_LINES = 5;

export function logPath(folder: string): string {
  return join(folder, 'loop.log');
}

export function writeLog(folder: string, line: string): void {
  appendFile(logPath(folder), line, { mode: 0o600 });
}

export function note(folder: string, state: LoopState<SessionData>, what: string): void {
  writeLog(folder, loopNoteLine(state, what, state.at));
}

export function lastLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
  } catch {
    // A loop that was begun in this moment may have none yet.
    return [];
  }
}
