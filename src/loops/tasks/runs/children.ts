/** The runs that a task's agents started and that outlive them: found by their run-info, waited for when the task is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../../../core/error.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { runFile } from '../folder/task-folder.ts';
import { isOrphaned, isRunActive } from './liveness.ts';
import { runFolder, type SurveyedRun, surveyRuns } from './run-folder.ts';
import { type RunInfo, updateRunInfo } from './run-info.ts';

export interface ChildrenSeen {
  /** They have a parent and no end, and their processes live. */
  readonly active: readonly string[];
  /** As above, but their processes are gone: their supervisor is about to write their end, or died. */
  readonly ending: readonly string[];
  /** Those of the active ones without a supervisor. */
  readonly orphaned: readonly string[];
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
export async function markEnded(task: string, runs: readonly string[], now: Instant): Promise<void> {
  for (const id of runs) {
    try {
      await updateRunInfo(runFile.info(runFolder(task, id)), (info) => endedAt(info, now));
    } catch (error) {
      // One that was spoilt meanwhile, or is kept locked, stays as it is; the lists of runs say so.
      if (!(error instanceof RalphError)) throw error;
    }
  }
}

function endedAt(info: RunInfo, now: Instant): RunInfo {
  if (info.endTime !== null) return info;
  return {
    ...info,
    endTime: now,
    exitCode: info.exitCode === 0 ? -1 : info.exitCode,
    status: 'failed',
    errorSummary: info.errorSummary ?? 'its supervisor died',
  };
}

/** The runs without an end whose processes are gone; the caller knows that no supervisor is about to write it. */
export async function markLeft(task: string, isMeant: (run: RunInfo) => boolean, now: Instant): Promise<void> {
  const isLeft = ({ info }: SurveyedRun): boolean =>
    info !== null && info.endTime === null && isMeant(info) && !isRunActive(info);
  const left = surveyRuns(task).filter(isLeft);
  for (const { id } of left) await markEnded(task, [id], now);
}

export interface ChildrenWait {
  readonly timeoutMs: Duration;
  readonly pollMs: Duration;
  readonly signal: AbortSignal;
  /** Called once, before the first wait. */
  readonly onWait: (active: readonly string[]) => Promise<void>;
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
    // Two looks apart, and still without an end: its supervisor is dead.
    const dead = seen.ending.filter((id) => ending.includes(id));
    if (dead.length > 0 || seen.orphaned.some((id) => orphaned.includes(id))) await endOrphaned();
    await markEnded(task, dead, Date.now());
  }
}
