/**
 * Two notes in the folder of a loop, each with a process's identity, not a bare pid: which check is running, so that one
 * whose hook was killed can be ended; and which command waits for the loop, so that the hook gives way to it.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFile } from '../../process/files.ts';
import {
  identify,
  isListedAsKnown,
  isRunning,
  ownIdentity,
  type ProcessIdentity,
  thisMachine,
} from '../../process/identity/identity.ts';

type Note = 'check-running.json' | 'cancel-waiting.json';

export function noteRunning(folder: string, pid: number): void {
  // One that could not be told from another is not noted: nothing is ended by a number alone.
  const identity = isListedAsKnown() ? identify(pid, thisMachine()) : null;
  if (identity !== null) write(folder, 'check-running.json', identity);
}

export function endLeftCheck(folder: string): void {
  const left = runningIn(folder, 'check-running.json');
  if (left !== null) signalGroup(left.pid, 'SIGKILL');
  forget(folder, 'check-running.json');
}

export function noteWaiting(folder: string): void {
  write(folder, 'cancel-waiting.json', ownIdentity(thisMachine()));
}

export function isCommandWaiting(folder: string): boolean {
  return runningIn(folder, 'cancel-waiting.json') !== null;
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended by itself.
  }
}

export function forget(folder: string, note: Note): void {
  rmSync(join(folder, note), { force: true });
}

function write(folder: string, note: Note, identity: ProcessIdentity): void {
  writeFile(join(folder, note), `${JSON.stringify(identity)}\n`, { mode: 0o600 });
}

function runningIn(folder: string, note: Note): ProcessIdentity | null {
  try {
    const { pid, startTime, boot } = JSON.parse(readFileSync(join(folder, note), 'utf8')) as ProcessIdentity;
    const isOne = Number.isInteger(pid) && pid > 1 && isRunning({ pid, startTime, boot }, thisMachine());
    return isOne ? { pid, startTime, boot } : null;
  } catch {
    // None was left, or its note was cut off before the process could do anything.
    return null;
  }
}
