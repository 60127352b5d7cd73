/** Runs a command whose agent talks to a scripted model instead of its vendor's. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isatty } from 'node:tty';
import { errnoOf, RalphError } from '../core/error.ts';
import { nullOn } from '../process/files.ts';
import { type Environment, prepareEnvironment } from './environment.ts';
import type { Script } from './script/script.ts';
import { type RecordedRequest, type ScriptedModelOptions, startScriptedModel } from './server/server.ts';

export interface Command {
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /**
   * Stdin, stdout, stderr: ours, none, or a descriptor. Never a pipe, because nothing here would read it. Claude waits
   * 3 s for an open, silent stdin: pass 'ignore' if there is no input.
   */
  readonly stdio: readonly [Slot, Slot, Slot];
}

type Slot = 'inherit' | 'ignore' | number;

interface Rehearsal extends Command, ScriptedModelOptions {
  readonly script: Script;
}

export interface Rehearsed {
  readonly exitCode: number;
  readonly requests: readonly RecordedRequest[];
}

export async function rehearse(rehearsal: Rehearsal): Promise<Rehearsed> {
  const { env, cwd } = rehearsal;
  const model = await startScriptedModel(rehearsal.script, rehearsal);
  try {
    return await withThrowAwayFolder(env, async (folder) => {
      const ready = prepareEnvironment({ env, url: model.url, folder, cwd });
      const exitCode = await runCommand({ ...rehearsal, env: ready });
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
    // Leftover processes may still write while the folder is being deleted, so retry.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Not in the folder of temporary files: with its home there, Codex complains at every start and omits its helpers. */
async function makeFolder(env: Environment): Promise<string> {
  const given = env.XDG_CACHE_HOME ?? '';
  const cache = isAbsolute(given) ? given : join(env.HOME || '/', '.cache');
  const own = join(cache, 'ralph', 'rehearsals');
  try {
    await mkdir(own, { recursive: true, mode: 0o700 });
    return await mkdtemp(`${own}/`);
  } catch (error) {
    // A home that is not writable must not prevent a rehearsal.
    if (errnoOf(error)) return mkdtemp(join(tmpdir(), 'ralph-rehearsal-'));
    throw error;
  }
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Forwards our signals, and leaves nothing of the process group behind. Resolves to the exit code; a death by signal n,
 * or an exit that our signal n caused, is 128 + n and never 0.
 */
export async function runCommand({ command: [program, ...args], env, cwd, stdio }: Command): Promise<number> {
  if (program === undefined) throw refuse('There is no command to rehearse.');
  // In a terminal the command stays in our process group: only the foreground group can read the keyboard.
  const stdin = stdio[0] === 'inherit' ? 0 : stdio[0];
  const ownGroup = stdin === 'ignore' || !isatty(stdin);
  let asked: NodeJS.Signals | undefined;
  let child: ChildProcess | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    asked = signal;
    // Ctrl-C has already reached the whole group, and many programs take a second one as "at once".
    if (ownGroup || signal !== 'SIGINT') child?.kill(signal);
  };
  // Listen first: a signal between the start and the listening would end us and orphan the command.
  for (const signal of FORWARDED) process.on(signal, forward);
  try {
    const end = await new Promise<number | NodeJS.Signals>((resolve, reject) => {
      child = spawn(program, args, { env, cwd, stdio: [...stdio], detached: ownGroup });
      child.once('error', reject);
      // Not 'close': a daemon that holds the output open would delay the end.
      child.once('exit', (code, signal) => resolve(signal ?? code ?? 1));
    });
    if (typeof end === 'string') return 128 + constants.signals[end];
    // Claude Code answers SIGINT with exit 0, but an interrupted command has not succeeded.
    return end === 0 && asked ? 128 + constants.signals[asked] : end;
  } catch (error) {
    const code = errnoOf(error);
    throw code ? refuse(`${program} cannot be started (${code}).`) : error;
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward);
    const leader = ownGroup ? child?.pid : undefined;
    // Normally none is left: Linux reports ESRCH, macOS EPERM while the last one is being reaped.
    if (leader !== undefined) nullOn(['ESRCH', 'EPERM'], () => process.kill(-leader, 'SIGKILL'));
  }
}

function refuse(message: string): RalphError {
  return new RalphError('rehearsal-command', message, {
    hint: 'Name an installed program after "--", for example: ralph rehearse -- ralph run -p "Write a note."',
  });
}
