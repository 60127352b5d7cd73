/**
 * Does a run, or a task's loop, still go on? Pids are used again: a process that began well after the run is another one, as
 * all are after a reboot. What is not certain counts as alive: that keeps a folder too long, never removes one too early.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../../../core/error.ts';
import { fold } from '../../../core/machine/machine.ts';
import type { Told } from '../../../core/prompt/told.ts';
import { type LoopState, questionOf } from '../../../core/state.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { pendingControl } from '../../../engine/control.ts';
import { neverBegan } from '../../../engine/loop.ts';
import { realPathOr } from '../../../process/files.ts';
import { bootedAt, startedAt } from '../../../process/identity/identity.ts';
import { isGroupAlive } from '../../../process/identity/process-table.ts';
import { readJournal } from '../../../state/journal.ts';
import { isLocked } from '../../../state/lock.ts';
import { withRequest } from '../../../state/new-loop.ts';
import { journalPath, loopFolder, type StateRoot, workTreeLock } from '../../../state/paths.ts';
import { loopsIn, unreadableHere } from '../../../state/registry.ts';
import { runFile, runFolder } from '../folder/task-folder.ts';
import { taskMachine } from '../rules.ts';
import { limitOf, type TaskData } from '../state.ts';
import { type RunInfo, surveyRuns, updateRunInfo } from './run-info.ts';

/** An agent is started within that time after its run began, also where the clock was set a little meanwhile. */
const STARTED_WITHIN_MS = 10 * 60_000;
/** What the clock at boot may be behind. */
const BOOT_UNSURE_MS = 60_000;

export function isRunActive(info: RunInfo): boolean {
  return info.status === 'running' && info.endTime === null && isProcessAlive(info);
}

/** Its agent goes on without its supervisor: nothing will report its end. */
export function isOrphaned(info: RunInfo): boolean {
  const { supervisorPid = 0, startTime } = info;
  return supervisorPid > 0 && lifeOf(supervisorPid, startTime) !== 'its own' && isRunActive(info);
}

/** A run without any number yet is about to start. Its supervisor may still be ending what an agent left behind. */
function isProcessAlive({ pid, pgid, supervisorPid = 0, startTime }: RunInfo): boolean {
  if (startTime < (bootedAt() ?? 0) - BOOT_UNSURE_MS) return false;
  if (pid <= 0 && pgid <= 0) return true;
  if ([pid, supervisorPid].some((one) => one > 0 && lifeOf(one, startTime) === 'its own')) return true;
  // The kernel gives no number again that a group still has: a group whose leader is gone is the one that we mean.
  return pgid > 0 && lifeOf(pgid, startTime) !== "another's" && isGroupAlive(pgid);
}

function lifeOf(pid: number, runStarted: Instant): 'its own' | "another's" | 'gone' {
  const began = startedAt(pid);
  if (began === null) return 'gone';
  return began > runStarted + STARTED_WITHIN_MS ? "another's" : 'its own';
}

/** Is a task's loop being turned, also between two runs? It may know the folder by its real name, or by that of a link. */
export function isLooping(folder: string, root: StateRoot): boolean {
  return [folder, realPathOr(folder)].some((path) => isLocked(workTreeLock(root, path)));
}

export type LastLoop = NonNullable<ReturnType<typeof lastLoop>>;

/** What a task's last loop was started with, for a resume; null for a task that never had one on this machine. */
export function lastLoop(root: StateRoot, folder: string) {
  const last = loopsIn(root, 'task', folder).at(-1);
  if (last === undefined) {
    const trouble = unreadableHere(root, 'task', folder);
    if (trouble === null) return null;
    throw trouble;
  }
  const loop = loopFolder(root, last.id);
  const records = withRequest(readJournal(journalPath(loop)).records, loop);
  if (records[0]?.result.kind !== 'created') throw neverBegan(last.id, loop);
  const state = fold(taskMachine, records);
  // The request is with what was answered while it ran.
  const { request, inputs } = state.data;
  return {
    id: last.id,
    // Without an ending it was cut off, and can be opened again.
    ending: last.ending,
    request,
    // A resume may have been given another limit.
    maxRestarts: limitOf(state.data),
    /** What people said to it that it has not heard. */
    unheard: unheardBy(loop, state),
    /** What the last loop's agent was asked, with what looks like a key hidden; null where it was not read. */
    prompt: inputs?.prompt ?? null,
    reviews: state.data.reviews,
    /** What it waits to have answered; null for nothing. */
    question: questionOf(state),
  };
}

/** Also what it had heard, and no agent was given that worked. */
function unheardBy(loop: string, { told, consumed }: LoopState<TaskData>): readonly Told[] {
  return [...told, ...(pendingControl(loop, consumed)?.told ?? [])];
}

/** The runs that have a parent and no end. */
export function lookAtChildren(task: string) {
  const runs = surveyRuns(task);
  const children = runs.filter(({ info }) => info?.parentRunId !== undefined && info.endTime === null);
  const those = (isMeant: (info: RunInfo) => boolean): string[] =>
    children.filter(({ info }) => info !== null && isMeant(info)).map(({ id }) => id);
  return {
    active: those(isRunActive),
    /** Their processes are gone: their supervisor is about to write their end, or died. */
    ending: those((info) => !isRunActive(info)),
    /** Those of the active ones without a supervisor. */
    orphaned: those(isOrphaned),
    problems: runs.flatMap(({ fault }) => fault ?? []),
  };
}

/** A run whose supervisor died cannot report its end: it is written for it. */
export async function markEnded(task: string, runId: string, now: Instant): Promise<void> {
  try {
    await updateRunInfo(runFile.info(runFolder(task, runId)), (info) => {
      if (info.endTime !== null) return info;
      const { errorSummary = 'its supervisor died', exitCode } = info;
      return { ...info, endTime: now, exitCode: exitCode || -1, status: 'failed', errorSummary };
    });
  } catch (error) {
    // One that was spoilt meanwhile, or is kept locked, stays as it is; the lists of runs say so.
    if (!(error instanceof RalphError)) throw error;
  }
}

/** The runs without an end whose processes are gone; the caller knows that no supervisor is about to write it. */
export async function markLeft(task: string, isMeant: (run: RunInfo) => boolean, now: Instant): Promise<void> {
  for (const { id, info } of surveyRuns(task)) {
    if (info !== null && info.endTime === null && isMeant(info) && !isRunActive(info)) await markEnded(task, id, now);
  }
}

interface ChildrenWait {
  readonly timeoutMs: Duration;
  readonly pollMs: Duration;
  readonly signal: AbortSignal;
  /** Called once, before the first wait. */
  readonly onWait: (active: readonly string[]) => Promise<void>;
  readonly endOrphaned: () => Promise<void>;
}

/** The children that are still there when the time is up. */
export async function waitForChildren(task: string, { timeoutMs, pollMs, signal, onWait, endOrphaned }: ChildrenWait) {
  const deadline = performance.now() + timeoutMs;
  let seen = lookAtChildren(task);
  let hasSaid = false;
  for (;;) {
    const { active, ending, orphaned } = seen;
    if (active.length === 0 && ending.length === 0) return [];
    if (active.length > 0 && !hasSaid) await onWait(active);
    hasSaid ||= active.length > 0;
    const rest = deadline - performance.now();
    if (rest <= 0) return active;
    await sleep(Math.min(pollMs, rest), undefined, { signal });
    seen = lookAtChildren(task);
    // Two looks apart, and still without an end: its supervisor is dead.
    const dead = seen.ending.filter((id) => ending.includes(id));
    if (dead.length > 0 || seen.orphaned.some((id) => orphaned.includes(id))) await endOrphaned();
    for (const id of dead) await markEnded(task, id, Date.now());
  }
}
