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

const RUNNING = 'check-running.json';
const WAITING = 'cancel-waiting.json';

export function noteRunning(folder: string, pid: number): void {
  // One that could not be told from another is not noted: nothing is ended by a number alone.
  const identity = isListedAsKnown() ? identify(pid, thisMachine()) : null;
  if (identity !== null) write(folder, RUNNING, identity);
}

export function forgetRunning(folder: string): void {
  remove(folder, RUNNING);
}

export function endLeftCheck(folder: string): void {
  const left = read(folder, RUNNING);
  if (left === null) return;
  if (isRunning(left, thisMachine())) signalGroup(left.pid, 'SIGKILL');
  forgetRunning(folder);
}

export function noteWaiting(folder: string): void {
  write(folder, WAITING, ownIdentity(thisMachine()));
}

export function forgetWaiting(folder: string): void {
  remove(folder, WAITING);
}

export function isSomebodyWaiting(folder: string): boolean {
  const waiting = read(folder, WAITING);
  return waiting !== null && isRunning(waiting, thisMachine());
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended by itself.
  }
}

function write(folder: string, name: string, identity: ProcessIdentity): void {
  writeFile(join(folder, name), `${JSON.stringify(identity)}\n`, { mode: 0o600 });
}

function remove(folder: string, name: string): void {
  rmSync(join(folder, name), { force: true });
}

function read(folder: string, name: string): ProcessIdentity | null {
  try {
    const { pid, startTime, boot } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as ProcessIdentity;
    return Number.isInteger(pid) && pid > 1 ? { pid, startTime, boot } : null;
  } catch {
    // None was left, or its note was cut off before the process could do anything.
    return null;
  }
}
