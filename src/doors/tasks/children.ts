/** The runs that a task's agents started and that outlive them: found by their run-info, waited for when the task is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../../core/error.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { runFolder, runIds } from './run-folder.ts';
import { type RunInfo, readRunInfo, updateRunInfo } from './run-info.ts';
import { runFile } from './task-folder.ts';

export interface ChildrenSeen {
  /** They have a parent and no end, and their processes live. */
  readonly active: readonly string[];
  /** As above, but their processes are gone: whoever saw to them is about to write their end, or died. */
  readonly ending: readonly string[];
  /** Why some run could not be looked at. */
  readonly problems: readonly string[];
}

export function lookAtChildren(task: string): ChildrenSeen {
  const active: string[] = [];
  const ending: string[] = [];
  const problems: string[] = [];
  for (const id of runIds(task)) {
    try {
      const info = readRunInfo(runFile.info(runFolder(task, id)));
      if (info === null || info.endTime !== null || info.parentRunId === undefined) continue;
      (isGroupAlive(info) ? active : ending).push(id);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { active, ending, problems };
}

/** A run whose supervisor died cannot report its end: it is written for it. */
export function markEnded(task: string, runs: readonly string[], now: Instant): void {
  for (const id of runs) {
    updateRunInfo(runFile.info(runFolder(task, id)), (info) =>
      info.endTime !== null
        ? info
        : { ...info, endTime: now, exitCode: info.exitCode === 0 ? -1 : info.exitCode, status: 'failed' },
    );
  }
}

export interface ChildrenWait {
  readonly timeoutMs: Duration;
  readonly pollMs: Duration;
  readonly signal: AbortSignal;
  /** Called once, when there is somebody to wait for. */
  readonly onWait: (active: readonly string[]) => Promise<void>;
}

/** The children that are still there when the time is up. */
export async function waitForChildren(task: string, wait: ChildrenWait): Promise<readonly string[]> {
  const { timeoutMs, pollMs, signal, onWait } = wait;
  const deadline = performance.now() + timeoutMs;
  let seen = lookAtChildren(task);
  let hasSaid = false;
  for (;;) {
    const { active, ending } = seen;
    if (active.length === 0 && ending.length === 0) return [];
    if (active.length > 0 && !hasSaid) {
      hasSaid = true;
      await onWait(active);
    }
    const rest = deadline - performance.now();
    if (rest <= 0) return active;
    await sleep(Math.min(pollMs, rest), undefined, { signal });
    seen = lookAtChildren(task);
    // Two looks apart, and still without an end: nobody is left to write it.
    markEnded(
      task,
      seen.ending.filter((id) => ending.includes(id)),
      Date.now(),
    );
  }
}

export function isGroupAlive({ pgid }: Pick<RunInfo, 'pgid'>): boolean {
  if (pgid <= 1) return false;
  try {
    process.kill(-pgid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
