/** Runs one command to its end, hands it our signals, and leaves nothing of its process group behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { errnoOf, RalphError } from '../core/error.ts';
import type { Environment } from './environment.ts';

export interface Command {
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  readonly stdio: Stdio;
}

/** Stdin, stdout, stderr: ours, none, or a descriptor. Never a pipe, which nothing here would empty. */
export type Stdio = readonly [Slot, Slot, Slot];

type Slot = 'inherit' | 'ignore' | number;

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves to the exit code; a death by signal n, or an end that our signal n asked for, is 128 + n and never 0. */
export async function runCommand(command: Command): Promise<number> {
  // At a terminal the command stays in our group: only the foreground group may read the keyboard.
  const ownGroup = !readsTerminal(command.stdio);
  let asked: NodeJS.Signals | undefined;
  let child: ChildProcess | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    asked = signal;
    // Ctrl-C has already reached the terminal's whole group, and a second one often means "at once".
    if (ownGroup || signal !== 'SIGINT') child?.kill(signal);
  };
  // Listen first: a signal between the start and the listening would end us and orphan the command.
  for (const signal of FORWARDED) process.on(signal, forward);
  try {
    child = start(command, ownGroup);
    const end = await endOf(child);
    if (end.signal) return codeOf(end.signal);
    // Claude Code answers SIGINT with exit 0, but an interrupted command has not succeeded.
    return end.code === 0 && asked ? codeOf(asked) : end.code;
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward);
    if (ownGroup) killGroup(child?.pid);
  }
}

type End = { readonly signal: NodeJS.Signals } | { readonly signal: null; readonly code: number };

function start({ command, env, cwd, stdio }: Command, detached: boolean): ChildProcess {
  const [program, ...args] = command;
  if (program === undefined) throw refuse('There is no command to rehearse.');
  try {
    return spawn(program, args, { env, cwd, stdio: [...stdio], detached });
  } catch (error) {
    throw error instanceof Error ? unstartable(error, program) : error;
  }
}

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(unstartable(error, child.spawnfile)));
    // Not 'close': a daemon that holds the output open would delay the end.
    child.once('exit', (code, signal) => resolve(signal ? { signal } : { signal: null, code: code ?? 1 }));
  });
}

function readsTerminal([stdin]: Stdio): boolean {
  const descriptor = stdin === 'inherit' ? 0 : stdin;
  return descriptor !== 'ignore' && isatty(descriptor);
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    // The normal case, none is left: Linux says ESRCH, macOS EPERM while the last one is being reaped.
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
  }
}

function codeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

function unstartable(error: Error, program: string): Error {
  const code = errnoOf(error);
  return code ? refuse(`${program} cannot be started (${code}).`) : error;
}

function refuse(message: string): RalphError {
  return new RalphError('rehearsal-command', message, {
    hint: 'Name an installed program behind "--", for example: ralph rehearse -- ralph run -p "Write a note."',
  });
}
