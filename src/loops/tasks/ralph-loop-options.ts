/** What a `RalphLoop` is made with, checked before anything runs, and what the errors of its runner mean. */

import { errnoOf, RalphError } from '../../core/error.ts';
import type { SandboxOptions } from '../../engine/sandbox-options.ts';
import type { RootPlace } from './root-place.ts';
import { TASK_DEFAULTS } from './rules.ts';

/**
 * Runs the agent once. Resolving with a number is that exit code, with anything else 0; rejecting is a failure, with the
 * `exitCode` (or numeric `code`) of the error. `attempt` counts from 0. What is started with `place.run` is in the loop's
 * sandbox.
 */
export type RootRunner = (signal: AbortSignal, attempt: number, place: RootPlace) => unknown;

/** Times in milliseconds. */
export interface RalphLoopOptions {
  readonly runRoot: RootRunner;
  readonly project: string;
  readonly task?: string;
  readonly maxRestarts?: number;
  /** How long children are waited for once DONE is there. */
  readonly waitTimeout?: number;
  readonly pollInterval?: number;
  readonly restartDelay?: number;
  /** The work tree: where `place.run` runs programs, and what its sandbox lets them write; the run directory unless given. */
  readonly cwd?: string;
  /** Of the programs that are started with `place.run`; none unless given. */
  readonly sandbox?: RootSandbox;
}

export interface RootSandbox extends SandboxOptions {
  /** The agent's command: its own hosts are reached and its own state is written, such as those of `claude`. */
  readonly agent?: string;
}

export type CheckedOptions = Required<Omit<RalphLoopOptions, 'sandbox'>>;

export function checkedOptions(runDir: string, bus: string, options: RalphLoopOptions): CheckedOptions {
  const {
    runRoot,
    project,
    task = '',
    maxRestarts = TASK_DEFAULTS.maxRestarts,
    waitTimeout = TASK_DEFAULTS.waitTimeoutMs,
    pollInterval = TASK_DEFAULTS.pollIntervalMs,
    restartDelay = TASK_DEFAULTS.restartDelayMs,
    cwd = runDir,
  } = options;
  const isEmpty = (text: unknown): boolean => typeof text !== 'string' || text.trim() === '';
  const refuse = (condition: boolean, message: string): void => {
    if (condition) throw new TypeError(message);
  };
  refuse(isEmpty(runDir), 'run directory is empty');
  refuse(isEmpty(bus), 'message bus is nil');
  refuse(!(waitTimeout > 0), 'wait timeout must be positive');
  refuse(!(pollInterval > 0), 'poll interval must be positive');
  refuse(!(restartDelay >= 0), 'restart delay must not be negative');
  refuse(!(maxRestarts >= 0), 'max restarts must not be negative');
  refuse(typeof runRoot !== 'function', 'root runner is nil');
  refuse(isEmpty(project), 'project id is empty');
  refuse(isEmpty(cwd), 'work tree is empty');
  return { runRoot, project, task, maxRestarts, waitTimeout, pollInterval, restartDelay, cwd };
}

/** For a root runner that finds its configuration wrong. */
export class InvalidConfigError extends Error {
  override readonly name = 'InvalidConfigError';
}

/**
 * Which errors a restart does not cure: the program is not there, it may not be run, the configuration is wrong. Also one
 * that wraps such an error as its cause, or as one of several.
 */
export function isFatalError(error: unknown): boolean {
  const all = new Set([error]);
  // What is added meanwhile is gone through, too.
  for (const one of all) for (const inner of wrappedIn(one)) all.add(inner);
  return [...all].some(isFatalItself);
}

function isFatalItself(error: unknown): boolean {
  if (error instanceof InvalidConfigError || error instanceof RalphError) return true;
  const code = errnoOf(error);
  if (code === 'EACCES' || code === 'EPERM') return true;
  return code === 'ENOENT' && error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn');
}

function wrappedIn(error: unknown): readonly unknown[] {
  if (!(error instanceof Error)) return [];
  const several: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return error.cause === undefined ? several : [error.cause, ...several];
}

/** Of an error that stands for a program's end. */
export function exitCodeOf(error: unknown): number {
  if (typeof error !== 'object' || error === null) return 1;
  const { exitCode, code } = error as { readonly exitCode?: unknown; readonly code?: unknown };
  return [exitCode, code].find((value) => typeof value === 'number') ?? 1;
}
