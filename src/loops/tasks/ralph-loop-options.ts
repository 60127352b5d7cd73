/** The options of a `RalphLoop`, checked before anything runs, and what the errors of its runner mean. */
import { resolve } from 'node:path';
import { errnoOf, RalphError } from '../../core/error.ts';
import { type SandboxOptions, sandboxFromOptions } from '../../engine/sandbox-options.ts';
import { NO_SANDBOX } from '../../runners/sandbox/request.ts';
import { NEW_TASK, type TaskRequest } from './request.ts';

/**
 * Runs the agent once. A number that it resolves with is the exit code, anything else counts as 0. A rejection is a
 * failure with the `exitCode` (or numeric `code`) of the error. `attempt` counts from 0. Programs started with
 * `place.run` run in the loop's sandbox.
 */
export type RootRunner = (signal: AbortSignal, attempt: number, place: RootPlace) => unknown;

export interface RootPlace {
  /** Resolves with the exit code (128 + n for signal n). The loop's signal ends the program and all its children. */
  run(argv: readonly [string, ...string[]], program?: RootProgram): Promise<number>;
}

export interface RootProgram {
  /** Default: the work tree. */
  readonly cwd?: string;
  /** Added to the loop's own environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What it reads from stdin. Default: nothing. */
  readonly input?: string;
  /** Receives what it prints. Default: this process's own stdout and stderr. */
  readonly onOutput?: (chunk: Buffer) => void;
  readonly onStderr?: (chunk: Buffer) => void;
}

/** Times in milliseconds. */
export interface RalphLoopOptions {
  readonly runRoot: RootRunner;
  readonly project: string;
  readonly task?: string;
  readonly maxRestarts?: number;
  /** How long to wait for children once DONE exists. */
  readonly waitTimeout?: number;
  readonly pollInterval?: number;
  readonly restartDelay?: number;
  /** The work tree, in which `place.run` runs programs and its sandbox lets them write. Default: the run directory. */
  readonly cwd?: string;
  /** The sandbox of programs started with `place.run`. Default: none. */
  readonly sandbox?: RootSandbox;
}

export interface RootSandbox extends SandboxOptions {
  /** The agent's command, such as `claude`: its sandbox lets it reach its own hosts and write its own state. */
  readonly agent?: string;
}

/** Options that are not given have the seed's defaults. */
export function loopRequest(folder: string, bus: string, options: RalphLoopOptions): TaskRequest {
  const { project, task = '', maxRestarts = NEW_TASK.maxRestarts, cwd = folder, sandbox } = options;
  const { waitTimeout: waitTimeoutMs = NEW_TASK.waitTimeoutMs } = options;
  const { pollInterval: pollIntervalMs = NEW_TASK.pollIntervalMs } = options;
  const { restartDelay: restartDelayMs = NEW_TASK.restartDelayMs } = options;
  const isEmpty = (text: unknown): boolean => typeof text !== 'string' || text.trim() === '';
  const refuse = (condition: boolean, message: string): void => {
    if (condition) throw new TypeError(message);
  };
  refuse(isEmpty(folder), 'run directory is empty');
  refuse(isEmpty(bus), 'message bus is nil');
  refuse(!(waitTimeoutMs > 0), 'wait timeout must be positive');
  refuse(!(pollIntervalMs > 0), 'poll interval must be positive');
  refuse(!(restartDelayMs >= 0), 'restart delay must not be negative');
  refuse(!(maxRestarts >= 0), 'max restarts must not be negative');
  refuse(typeof options.runRoot !== 'function', 'root runner is nil');
  refuse(isEmpty(project), 'project id is empty');
  refuse(isEmpty(cwd), 'work tree is empty');
  const times = { maxRestarts, restartDelayMs, waitTimeoutMs, pollIntervalMs };
  const place = { folder, bus, project, task, cwd: resolve(cwd), agent: sandbox?.agent ?? '', prompt: '' };
  const asked = sandbox === undefined ? NO_SANDBOX : sandboxFromOptions(sandbox);
  return { ...NEW_TASK, ...times, ...place, sandbox: asked };
}

/** To be thrown by a root runner with an invalid configuration. */
export class InvalidConfigError extends Error {
  override readonly name = 'InvalidConfigError';
}

/** A restart cannot fix these errors, also wrapped: a missing or forbidden program, or an invalid configuration. */
export function isFatalError(error: unknown): boolean {
  const all = new Set([error]);
  // The iteration also visits errors that are added on the way.
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
  return [error.cause, ...several];
}

export function exitCodeFromError(error: unknown): number {
  if (typeof error !== 'object' || error === null) return 1;
  const { exitCode, code } = error as { readonly exitCode?: unknown; readonly code?: unknown };
  return [exitCode, code].find((value) => typeof value === 'number') ?? 1;
}
