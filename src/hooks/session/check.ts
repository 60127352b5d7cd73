/**
 * Runs one of the user's own checks, a shell command, in a process group that is always ended: when its time is up,
 * when the hook gets a signal, and, if the hook is killed, by a shell in the group that notices. `core/check.ts` says
 * what its exit means and what is kept of its output; the code that runs checks elsewhere is too slow to load for a
 * hook.
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Checked, type CheckSpec, checkedAs, outcomeOfCommand, partOfText } from '../../core/check.ts';
import { type Exit, exitOfChild } from '../../core/outcome.ts';
import type { Mask } from '../../core/text/mask.ts';
import type { Duration } from '../../core/time.ts';
import { visible } from '../../loops/session/wording.ts';
import { writeFile } from '../../process/files.ts';
import type { ProcessIdentity } from '../../process/identity/identity.ts';
import { identify, isListedAsKnown, isRunning, ownIdentity } from '../../process/identity/identity.ts';
import { runningFor } from './call.ts';

interface CheckRun {
  readonly spec: CheckSpec;
  readonly folder: string;
  readonly cwd: string;
  /** The remaining time that all checks share. */
  readonly leftMs: Duration;
  readonly mask: Mask;
}

const GRACE_MS = 2000;
/**
 * Runs the command in `$1`. Nothing is written to fd 3: its end of file means that the hook is gone, and then the group
 * is ended. The command has its own shell, which does not know the watching one, so that a `wait` in it does not wait
 * for that.
 */
const GUARDED = `{ trap '' TERM; read -r _; kill -TERM 0; sleep ${GRACE_MS / 1000}; kill -KILL 0; } <&3 >/dev/null 2>&1 &
exec 3<&- 2>&1
exec sh -c "$1"`;
/** With less time than this left, a check could not even start. */
const LEAST_MS = 50;
/** The last output may still be in the pipe; a process that keeps it open for longer has left the group. */
const LAST_WORDS_MS = 200;
/** A check can print without end; only the beginning is kept. */
const KEPT_BYTES = 256 * 1024;
/** In bytes; a longer key is recognised by its beginning. */
const LONGEST_KEY = 8192;
const LF = 0x0a;

/** Null if the check was interrupted, because the hook was told to end or a command waits for the loop: no result. */
export async function runCheck(run: CheckRun): Promise<Checked | null> {
  const { spec, folder, mask } = run;
  const began = runningFor();
  const ended = run.leftMs < LEAST_MS ? { exit: timedOut(0), printed: '', isCut: false } : await runInGroup(run);
  if (ended === null || runningIn(folder, 'cancel-waiting.json') !== null) return null;
  const { exit, printed, isCut } = ended;
  const text = mask(visible(stripVTControlCharacters(printed)));
  writeFile(join(folder, spec.log), text, { mode: 0o600 });
  const kept = () => partOfText(text, spec.keepChars, spec.keeps ?? 'start', !isCut);
  return checkedAs(spec, outcomeOfCommand(exit), runningFor() - began, kept);
}

type Ended = ReturnType<ReturnType<typeof keepBeginning>> & { readonly exit: Exit };

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Null if the hook was told to end. */
function runInGroup({ spec, cwd, folder, leftMs }: CheckRun): Promise<Ended | null> {
  const { spawn } = require('node:child_process') as typeof import('node:child_process');
  // One pipe for stdout and stderr, which keeps the output in order.
  const stdio = ['ignore', 'pipe', 'ignore', 'pipe'] as const;
  const env = userEnvironment(process.env);
  const args = ['-c', GUARDED, 'sh', String(spec.given.command)];
  const child = spawn('sh', args, { cwd, env, detached: true, stdio: [...stdio] });
  const kept = keepBeginning(child);
  const { pid } = child;
  const endGroup = (signal: NodeJS.Signals): void => signalGroup(pid, signal);
  return new Promise((resolve) => {
    let isExpired = false;
    let isBrokenOff = false;
    const timer = setTimeout(() => {
      isExpired = true;
      endGroup('SIGTERM');
      setTimeout(() => endGroup('SIGKILL'), GRACE_MS).unref();
    }, leftMs);
    const toldToEnd = (): void => {
      isBrokenOff = true;
      endGroup('SIGKILL');
    };
    for (const signal of SIGNALS) process.once(signal, toldToEnd);
    const finish = (exit: Exit, before = ''): void => {
      clearTimeout(timer);
      // Also ends what the command left in the background.
      endGroup('SIGKILL');
      forget(folder, 'check-running.json');
      for (const signal of SIGNALS) process.off(signal, toldToEnd);
      const report = (): void => {
        clearTimeout(patience);
        for (const end of child.stdio) end?.destroy();
        const { printed, isCut } = kept();
        resolve(isBrokenOff ? null : { exit, printed: `${before}${printed}`, isCut });
      };
      const patience = setTimeout(report, LAST_WORDS_MS);
      child.once('close', report);
    };
    child.once('error', () => {
      const isGone = !existsSync(cwd);
      finish({ by: 'code', code: 127 }, isGone ? `The folder that this check runs in is gone: ${cwd}\n` : '');
    });
    child.once('exit', (code, signal) => {
      if (isExpired) finish(timedOut(leftMs));
      else finish(exitOfChild(code, signal));
    });
    // A process without a reliable identity is not noted: nothing is ever ended by its pid alone.
    const identity = pid !== undefined && isListedAsKnown() ? identify(pid) : null;
    if (identity !== null) write(folder, 'check-running.json', identity);
  });
}

function keepBeginning({ stdout }: ChildProcess): () => { printed: string; isCut: boolean } {
  const chunks: Buffer[] = [];
  let room = KEPT_BYTES;
  let isCut = false;
  stdout?.on('data', (chunk: Buffer) => {
    isCut ||= chunk.length > room;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= Math.min(room, chunk.length);
  });
  return () => {
    const printed = Buffer.concat(chunks);
    // A key that is cut in two would not be recognised: drop its line, or the end of a very long line.
    const end = isCut ? Math.max(printed.lastIndexOf(LF) + 1, printed.length - LONGEST_KEY) : printed.length;
    return { printed: printed.toString('utf8', 0, end), isCut };
  };
}

/** A check gets back the variables that the shell script saved to start node faster, and none that it set for us. */
function userEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { RALPH_FRONT: _front, RALPH_GIT_STATUS: _status, ...env } = environment;
  for (const name of ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS']) {
    const kept = env[`RALPH_KEPT_${name}`];
    if (kept !== undefined) env[name] = kept;
    delete env[`RALPH_KEPT_${name}`];
  }
  return env;
}

const timedOut = (afterMs: Duration): Exit => ({ by: 'timeout', afterMs: Math.round(afterMs) });

/** Both hold a process's identity, not just a pid: the check to end if its hook is killed; the command to yield to. */
type Note = 'check-running.json' | 'cancel-waiting.json';

export function endLeftCheck(folder: string): void {
  signalGroup(runningIn(folder, 'check-running.json')?.pid, 'SIGKILL');
  forget(folder, 'check-running.json');
}

export const noteWaiting = (folder: string) => write(folder, 'cancel-waiting.json', ownIdentity());

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The whole group has already ended.
  }
}

export const forget = (folder: string, note: Note) => rmSync(join(folder, note), { force: true });

function write(folder: string, note: Note, identity: ProcessIdentity): void {
  writeFile(join(folder, note), `${JSON.stringify(identity)}\n`, { mode: 0o600 });
}

function runningIn(folder: string, note: Note): ProcessIdentity | null {
  try {
    const noted = JSON.parse(readFileSync(join(folder, note), 'utf8')) as ProcessIdentity;
    return Number.isInteger(noted.pid) && noted.pid > 1 && isRunning(noted) ? noted : null;
  } catch {
    // There is no such process, or its note was cut off before it could do anything.
    return null;
  }
}
