/** Which check is running, written down, so that one whose hook was killed can be ended: by its identity, not by a bare pid. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isRunning, type ProcessIdentity, thisPlace } from '../../process/identity.ts';

export function noteRunning(folder: string, pid: number): void {
  const identity = identify(pid, thisPlace());
  if (identity !== null) writeFileSync(notePath(folder), `${JSON.stringify(identity)}\n`, { mode: 0o600 });
}

export function forgetRunning(folder: string): void {
  rmSync(notePath(folder), { force: true });
}

export function endLeftCheck(folder: string): void {
  const left = readNote(folder);
  if (left === null) return;
  if (isRunning(left, thisPlace())) signalGroup(left.pid, 'SIGKILL');
  forgetRunning(folder);
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended by itself.
  }
}

function readNote(folder: string): ProcessIdentity | null {
  try {
    const { pid, startTime, boot } = JSON.parse(readFileSync(notePath(folder), 'utf8')) as ProcessIdentity;
    return Number.isInteger(pid) && pid > 1 ? { pid, startTime, boot } : null;
  } catch {
    // None was left, or its note was cut off before the check could do anything.
    return null;
  }
}

function notePath(folder: string): string {
  return join(folder, 'check-running.json');
}
