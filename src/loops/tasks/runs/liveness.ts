/**
 * Decides whether a run, or a task's loop, is still alive. Pids are reused, so a process that began well after the run,
 * or after a reboot, is another one. In doubt, a run counts as alive: better to keep a folder too long than to remove
 * it too early.
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

/** An agent starts within this time after its run began, even if the clock was adjusted a little in between. */
const STARTED_WITHIN_MS = 10 * 60_000;
/** How inaccurate the time of the boot can be. */
const BOOT_UNSURE_MS = 60_000;

export function isRunActive(info: RunInfo): boolean {
  return info.status === 'running' && info.endTime === null && isProcessAlive(info);
}

/** The agent still runs, but its supervisor is gone: nothing will report the run's end. */
export function isOrphaned(info: RunInfo): boolean {
  const { supervisorPid = 0, startTime } = info;
  return supervisorPid > 0 && lifeOf(supervisorPid, startTime) !== 'its own' && isRunActive(info);
}

/** A run without any pid is about to start. Its supervisor may still be ending processes that an agent left behind. */
function isProcessAlive({ pid, pgid, supervisorPid = 0, startTime }: RunInfo): boolean {
  if (startTime < (bootedAt() ?? 0) - BOOT_UNSURE_MS) return false;
  if (pid <= 0 && pgid <= 0) return true;
  if ([pid, supervisorPid].some((one) => one > 0 && lifeOf(one, startTime) === 'its own')) return true;
  // The kernel does not reuse a number that a group still has: a group whose leader is gone is still ours.
  return pgid > 0 && lifeOf(pgid, startTime) !== "another's" && isGroupAlive(pgid);
}

function lifeOf(pid: number, runStarted: Instant): 'its own' | "another's" | 'gone' {
  const began = startedAt(pid);
  if (began === null) return 'gone';
  return began > runStarted + STARTED_WITHIN_MS ? "another's" : 'its own';
}

/** Whether a supervisor runs the task's loop, even between runs. It may know the folder by its real path or a link. */
export function isLooping(folder: string, root: StateRoot): boolean {
  return [folder, realPathOr(folder)].some((path) => isLocked(workTreeLock(root, path)));
}

export type LastLoop = NonNullable<ReturnType<typeof lastLoop>>;

/** What a resume needs of a task's last loop; null if the task never had one on this machine. */
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
  // The request includes the answers that came while it ran.
  const { request, inputs } = state.data;
  return {
    id: last.id,
    // Null if the loop was cut off: then it can be opened again.
    ending: last.ending,
    request,
    // An earlier resume may have changed the limit.
    maxRestarts: limitOf(state.data),
    /** People's messages that the agent has not received. */
    unheard: unheardBy(loop, state),
    /** The last prompt, with keys masked; null if none was read. */
    prompt: inputs?.prompt ?? null,
    reviews: state.data.reviews,
    /** The question that it waits for; null if there is none. */
    question: questionOf(state),
  };
}

/** Includes messages that the loop has read, but not yet passed on to an agent that worked. */
function unheardBy(loop: string, { told, consumed }: LoopState<TaskData>): readonly Told[] {
  return [...told, ...(pendingControl(loop, consumed)?.told ?? [])];
}

/** The runs with a parent and without an end. */
export function lookAtChildren(task: string) {
  const runs = surveyRuns(task);
  const children = runs.filter(({ info }) => info?.parentRunId !== undefined && info.endTime === null);
  const those = (isMeant: (info: RunInfo) => boolean): string[] =>
    children.filter(({ info }) => info !== null && isMeant(info)).map(({ id }) => id);
  return {
    active: those(isRunActive),
    /** Their processes are gone: their supervisor is about to write their end, or has died. */
    ending: those((info) => !isRunActive(info)),
    /** The active ones without a supervisor. */
    orphaned: those(isOrphaned),
    problems: runs.flatMap(({ fault }) => fault ?? []),
  };
}

/** Writes the end of a run whose supervisor died and cannot report it. */
export async function markEnded(task: string, runId: string, now: Instant): Promise<void> {
  try {
    await updateRunInfo(runFile.info(runFolder(task, runId)), (info) => {
      if (info.endTime !== null) return info;
      const { errorSummary = 'its supervisor died', exitCode } = info;
      return { ...info, endTime: now, exitCode: exitCode || -1, status: 'failed', errorSummary };
    });
  } catch (error) {
    // A report that was damaged or stays locked is left as it is; the lists of runs show that.
    if (!(error instanceof RalphError)) throw error;
  }
}

/** Marks the runs without an end whose processes are gone. The caller knows that no supervisor is about to write it. */
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

/** Returns the children that still run when the time is up. */
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
    // Seen twice without an end: its supervisor is dead.
    const dead = seen.ending.filter((id) => ending.includes(id));
    if (dead.length > 0 || seen.orphaned.some((id) => orphaned.includes(id))) await endOrphaned();
    for (const id of dead) await markEnded(task, id, Date.now());
  }
}
