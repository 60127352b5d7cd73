/** The runs that a task's agents started and that outlive them: found by their run-info, waited for when the task is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration, Instant } from '../../core/time.ts';
import { runFolder } from './run-folder.ts';
import { type RunInfo, updateRunInfo } from './run-info.ts';
import { isOrphaned, isRunActive } from './run-life.ts';
import { type SurveyedRun, surveyRuns } from './survey-runs.ts';
import { runFile } from './task-folder.ts';

export interface ChildrenSeen {
  /** They have a parent and no end, and their processes live. */
  readonly active: readonly string[];
  /** As above, but their processes are gone: whoever saw to them is about to write their end, or died. */
  readonly ending: readonly string[];
  /** Those of the active ones that nobody sees to any more. */
  readonly orphaned: readonly string[];
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
    orphaned: children.filter(({ info }) => info !== null && isOrphaned(info)).map(({ id }) => id),
    problems: runs.flatMap(({ fault }) => fault ?? []),
  };
}

/** A run whose supervisor died cannot report its end: it is written for it. */
export function markEnded(task: string, runs: readonly string[], now: Instant): void {
  for (const id of runs) {
    updateRunInfo(runFile.info(runFolder(task, id)), (info) =>
      info.endTime !== null
        ? info
        : {
            ...info,
            endTime: now,
            exitCode: info.exitCode === 0 ? -1 : info.exitCode,
            status: 'failed',
            errorSummary: info.errorSummary ?? 'its supervisor died',
          },
    );
  }
}

/** The runs without an end whose processes are gone; the caller knows that nobody is about to write it. */
export function markLeft(task: string, isMeant: (run: RunInfo) => boolean, now: Instant): void {
  const left = surveyRuns(task).filter(
    ({ info }) => info !== null && info.endTime === null && isMeant(info) && !isRunActive(info),
  );
  markEnded(
    task,
    left.map(({ id }) => id),
    now,
  );
}

export interface ChildrenWait {
  readonly timeoutMs: Duration;
  readonly pollMs: Duration;
  readonly signal: AbortSignal;
  /** Called once, when there is somebody to wait for. */
  readonly onWait: (active: readonly string[]) => Promise<void>;
  /** Ends agents whose supervisors died. */
  readonly endOrphaned: () => Promise<void>;
}

/** The children that are still there when the time is up. */
export async function waitForChildren(task: string, wait: ChildrenWait): Promise<readonly string[]> {
  const { timeoutMs, pollMs, signal, onWait, endOrphaned } = wait;
  const deadline = performance.now() + timeoutMs;
  let seen = lookAtChildren(task);
  let hasSaid = false;
  for (;;) {
    const { active, ending, orphaned } = seen;
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
    const dead = seen.ending.filter((id) => ending.includes(id));
    if (dead.length > 0 || seen.orphaned.some((id) => orphaned.includes(id))) await endOrphaned();
    markEnded(task, dead, Date.now());
  }
}
