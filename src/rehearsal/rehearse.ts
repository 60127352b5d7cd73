/** Runs a command whose agent talks to a scripted model instead of its vendor's. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isatty } from 'node:tty';
import { errnoOf, RalphError } from '../core/error.ts';
import { type Environment, prepareEnvironment } from './environment.ts';
import type { Script } from './script/script.ts';
import { type RecordedRequest, type ScriptedModelOptions, startScriptedModel } from './server/server.ts';

export interface Command {
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /**
   * Stdin, stdout, stderr: ours, none, or a descriptor. Never a pipe, which nothing here would empty. Claude waits 3 s for
   * an open, silent stdin: give it 'ignore' where there is no input.
   */
  readonly stdio: readonly [Slot, Slot, Slot];
}

type Slot = 'inherit' | 'ignore' | number;

export interface Rehearsed {
  /** The command's own, or 128 + n when signal n ended it. */
  readonly exitCode: number;
  readonly requests: readonly RecordedRequest[];
}

export async function rehearse({
  script,
  recordTo,
  ...command
}: Command & ScriptedModelOptions & { readonly script: Script }): Promise<Rehearsed> {
  const { env, cwd } = command;
  const model = await startScriptedModel(script, { ...(recordTo && { recordTo }) });
  try {
    return await withThrowAwayFolder(env, async (folder) => {
      const ready = prepareEnvironment({ env, url: model.url, folder, cwd });
      const exitCode = await runCommand({ ...command, env: ready });
      return { exitCode, requests: model.requests() };
    });
  } finally {
    await model.close();
  }
}

export async function withThrowAwayFolder<T>(env: Environment, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeFolder(env);
  try {
    return await use(folder);
  } finally {
    // A straggler may still write while the folder is being emptied; hence the retries.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Not where temporary files are: Codex leaves its helper programs out of a home there, and says so on every start. */
async function makeFolder(env: Environment): Promise<string> {
  const given = env.XDG_CACHE_HOME ?? '';
  const cache = isAbsolute(given) ? given : join(env.HOME || '/', '.cache');
  const own = join(cache, 'ralph', 'rehearsals');
  try {
    await mkdir(own, { recursive: true, mode: 0o700 });
    return await mkdtemp(`${own}/`);
  } catch (error) {
    // A home that cannot be written is no reason not to rehearse.
    if (errnoOf(error)) return mkdtemp(join(tmpdir(), 'ralph-rehearsal-'));
    throw error;
  }
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Hands on our signals, and leaves nothing of the process group behind. Resolves to the exit code; a death by signal n, or an end that our signal n asked for, is 128 + n and never 0. */
export async function runCommand(command: Command): Promise<number> {
  // At a terminal the command stays in our group: only the foreground group may read the keyboard.
  const stdin = command.stdio[0] === 'inherit' ? 0 : command.stdio[0];
  const ownGroup = stdin === 'ignore' || !isatty(stdin);
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

function start({ command, env, cwd, stdio }: Command, detached: boolean): ChildProcess {
  const [program, ...args] = command;
  if (program === undefined) throw refuse('There is no command to rehearse.');
  try {
    return spawn(program, args, { env, cwd, stdio: [...stdio], detached });
  } catch (error) {
    throw error instanceof Error ? unstartable(error, program) : error;
  }
}

/** Not 'close': a daemon that holds the output open would delay the end. */
function endOf(child: ChildProcess): Promise<{ signal: NodeJS.Signals | null; code: number }> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(unstartable(error, child.spawnfile)));
    child.once('exit', (code, signal) => resolve({ signal, code: code ?? 1 }));
  });
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
