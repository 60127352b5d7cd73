/** What a `RalphLoop` is made with, checked before anything runs. */
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
