/**
 * Runs one of the user's own checks, a shell command, while the agent waits. It is a process group of its own, ends before
 * the host's patience does, and is gone on every way out: when its time is up, when the hook is told to end, and, if the
 * hook itself was killed, at the next stop, by the identity that was written down.
 */
import { closeSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { CheckSpec } from '../../core/action.ts';
import type { Mask } from '../../core/mask.ts';
import type { Exit } from '../../core/outcome.ts';
import type { Checked } from '../../core/record.ts';
import type { Duration } from '../../core/time.ts';
import { identify, isRunning, type ProcessIdentity, thisPlace } from '../../process/identity.ts';
import { runningFor } from './own-time.ts';

export interface CheckRun {
  readonly spec: CheckSpec;
  /** The loop's: the output is kept in it. */
  readonly folder: string;
  readonly cwd: string;
  /** What is left of the time that all checks together have. */
  readonly leftMs: Duration;
  readonly mask: Mask;
}

const GRACE_MS = 2000;
/** With less than this left, a check could not even start. */
const LEAST_MS = 50;

export async function runCheck({ spec, folder, cwd, leftMs, mask }: CheckRun): Promise<Checked> {
  const log = join(folder, spec.log);
  const began = runningFor();
  const isTooLate = leftMs < LEAST_MS;
  const exit = isTooLate ? timedOut(0) : await runInGroup(spec.command, { cwd, log, folder, leftMs });
  const passed = exit.by === 'code' && exit.code === 0;
  const kept = passed || isTooLate ? { output: '', truncated: false } : headOf(log, spec.keepChars, mask);
  return {
    index: spec.index,
    exit,
    passed,
    log: spec.log,
    ...kept,
    durationMs: Math.round(runningFor() - began),
  };
}

/** What a hook that was killed has left running. */
export function endLeftCheck(folder: string): void {
  const left = readLeft(folder);
  if (left === null) return;
  if (isRunning(left, thisPlace())) signalGroup(left.pid, 'SIGKILL');
  rmSync(leftPath(folder), { force: true });
}

interface Surroundings {
  readonly cwd: string;
  readonly log: string;
  readonly folder: string;
  readonly leftMs: Duration;
}

function runInGroup(command: string, { cwd, log, folder, leftMs }: Surroundings): Promise<Exit> {
  const { spawn } = require('node:child_process') as typeof import('node:child_process');
  const output = openSync(log, 'w', 0o600);
  const child = spawn('sh', ['-c', command], { cwd, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const { pid } = child;
  return new Promise((resolve) => {
    let isExpired = false;
    const endGroup = (signal: NodeJS.Signals): void => {
      if (pid !== undefined) signalGroup(pid, signal);
    };
    const expire = (): void => {
      isExpired = true;
      endGroup('SIGTERM');
      setTimeout(() => endGroup('SIGKILL'), Math.min(GRACE_MS, leftMs / 4)).unref();
    };
    // Room for the grace: all of it ends within the time that is left.
    const timer = setTimeout(expire, leftMs - Math.min(GRACE_MS, leftMs / 4));
    // A check that was killed has failed: the turn goes on, and is recorded.
    const toldToEnd = (): void => endGroup('SIGKILL');
    process.once('SIGTERM', toldToEnd).once('SIGINT', toldToEnd).once('SIGHUP', toldToEnd);
    const finish = (exit: Exit): void => {
      clearTimeout(timer);
      // What the command left in the background goes with it.
      endGroup('SIGKILL');
      rmSync(leftPath(folder), { force: true });
      process.off('SIGTERM', toldToEnd).off('SIGINT', toldToEnd).off('SIGHUP', toldToEnd);
      resolve(exit);
    };
    child.once('error', () => finish({ by: 'code', code: 127 }));
    child.once('exit', (code, signal) => {
      if (isExpired) finish(timedOut(leftMs));
      else finish(code === null ? { by: 'signal', signal: signal ?? 'SIGKILL' } : { by: 'code', code });
    });
    if (pid !== undefined) noteLeft(folder, pid);
  });
}

function timedOut(afterMs: Duration): Exit {
  return { by: 'timeout', afterMs: Math.round(afterMs) };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended by itself.
  }
}

function noteLeft(folder: string, pid: number): void {
  const identity = identify(pid, thisPlace());
  if (identity !== null) writeFileSync(leftPath(folder), `${JSON.stringify(identity)}\n`, { mode: 0o600 });
}

function readLeft(folder: string): ProcessIdentity | null {
  try {
    const { pid, startTime, boot } = JSON.parse(readFileSync(leftPath(folder), 'utf8')) as ProcessIdentity;
    return Number.isInteger(pid) && pid > 1 ? { pid, startTime, boot } : null;
  } catch {
    // None was left, or its note was cut off before the check could do anything.
    return null;
  }
}

function leftPath(folder: string): string {
  return join(folder, 'check-running.json');
}

/** The beginning of what it printed, without colours and keys; the log on the disk is hidden alike. */
function headOf(path: string, chars: number, mask: Mask): { output: string; truncated: boolean } {
  const file = openSync(path, 'r');
  try {
    // Escape sequences and long characters take room that the reader does not see.
    const buffer = Buffer.alloc(chars * 16);
    const bytes = readSync(file, buffer, 0, buffer.length, 0);
    const text = mask(printable(buffer.toString('utf8', 0, bytes)));
    const characters = [...text];
    return {
      output: characters.slice(0, chars).join(''),
      truncated: bytes === buffer.length || characters.length > chars,
    };
  } finally {
    closeSync(file);
  }
}

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
}
