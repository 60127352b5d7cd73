/** What a `RalphLoop` is made with, checked before anything runs. */
import { TASK_DEFAULTS } from './rules.ts';

/**
 * Runs the agent once. Resolving with a number is that exit code, with anything else 0; rejecting is a failure, with the
 * `exitCode` (or numeric `code`) of the error. `attempt` counts from 0.
 */
export type RootRunner = (signal: AbortSignal, attempt: number) => unknown;

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
}

export type CheckedOptions = Required<RalphLoopOptions>;

export function checkedOptions(runDir: string, bus: string, options: RalphLoopOptions): CheckedOptions {
  const {
    runRoot,
    project,
    task = '',
    maxRestarts = TASK_DEFAULTS.maxRestarts,
    waitTimeout = TASK_DEFAULTS.waitTimeoutMs,
    pollInterval = TASK_DEFAULTS.pollIntervalMs,
    restartDelay = TASK_DEFAULTS.restartDelayMs,
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
  return { runRoot, project, task, maxRestarts, waitTimeout, pollInterval, restartDelay };
}
