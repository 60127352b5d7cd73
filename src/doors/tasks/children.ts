/** The runs that a task's agents started and that outlive them: found by their run-info, waited for when the task is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration, Instant } from '../../core/time.ts';
import { runFolder } from './run-folder.ts';
import { updateRunInfo } from './run-info.ts';
import { isRunActive } from './run-life.ts';
import { type SurveyedRun, surveyRuns } from './survey-runs.ts';
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
  const runs = surveyRuns(task);
  const children = runs.filter(({ info }) => info?.parentRunId !== undefined && info.endTime === null);
  const isActive = ({ info }: SurveyedRun): boolean => info !== null && isRunActive(info);
  return {
    active: children.filter(isActive).map(({ id }) => id),
    ending: children.filter((run) => !isActive(run)).map(({ id }) => id),
    problems: runs.flatMap(({ fault }) => fault ?? []),
  };
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
