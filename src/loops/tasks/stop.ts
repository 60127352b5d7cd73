/** Stops a task: signals its supervisor, and ends what a dead one left behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf, RalphError } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';
import { endOrphans } from '../../engine/orphans.ts';
import { isRunning, type MachineIdentity } from '../../process/identity/identity.ts';
import { removeEntry } from '../../state/held-folder.ts';
import { type Holder, lockHolder, tryLock } from '../../state/lock.ts';
import { loopLock, type StateRoot, workTreeLock } from '../../state/paths.ts';
import { writeAnew } from '../../state/projection.ts';
import { PERMANENT } from './folder/signals.ts';
import { taskFile } from './folder/task-folder.ts';
import { unendedJobs } from './jobs/job-broker.ts';
import { isRunActive, markLeft } from './runs/liveness.ts';
import { type RunInfo, surveyRuns } from './runs/run-info.ts';

interface StopOptions {
  readonly root: StateRoot;
  readonly place: MachineIdentity;
  /** It may not be started again, only resumed. */
  readonly permanent: boolean;
  readonly force: boolean;
  readonly withinMs: Duration;
}

/** A job that is being started has its supervisor within that time. */
const STARTING_TAKES_AT_MOST_MS = 2000;
const LOOK_EVERY_MS = 20;
const GRACE_MS = 5000;

/** `left` go on: no loop of this user on this machine started them, so they are not ours to end. */
export async function stopTask(folder: string, options: StopOptions) {
  const { permanent, withinMs } = options;
  const runs = activeRuns(folder);
  const supervisors = supervisorsOf(folder, options).map(({ pid }) => pid);
  const isIdle = runs.length === 0 && supervisors.length === 0;
  if (!isIdle || permanent) {
    const order = taskFile.stopRequested(folder);
    // The folder is the agent's, too: a link of this name would lead the order elsewhere.
    removeEntry(order);
    writeAnew(order, permanent ? `${PERMANENT}\n` : `${new Date().toISOString()}\n`, 0o644);
  }
  if (isIdle) return { runs, left: [], supervisors };
  const deadline = performance.now() + withinMs;
  let aloneSince: number | null = null;
  for (;;) {
    await endSupervisors(folder, options, deadline);
    await endLeftBehind(folder, options);
    // A job that was being started when we came had no supervisor yet that could be signalled.
    const left = activeRuns(folder);
    if (left.length === 0) return { runs, left, supervisors };
    aloneSince = supervisorsOf(folder, options).length > 0 ? null : (aloneSince ?? performance.now());
    if (aloneSince !== null && performance.now() - aloneSince > STARTING_TAKES_AT_MOST_MS) {
      const ended = runs.filter(({ runId }) => !left.some((run) => run.runId === runId));
      return { runs: ended, left, supervisors };
    }
    if (performance.now() > deadline) throw takesTooLong(left, withinMs);
    await sleep(LOOK_EVERY_MS);
  }
}

function activeRuns(folder: string): RunInfo[] {
  return surveyRuns(folder).flatMap(({ info }) => (info !== null && isRunActive(info) ? info : []));
}

async function endSupervisors(folder: string, options: StopOptions, deadline: number): Promise<void> {
  const { place, withinMs, force } = options;
  const supervisors = supervisorsOf(folder, options);
  for (const supervisor of supervisors) signalTo(supervisor, 'SIGTERM', place);
  while (supervisors.some((supervisor) => isRunning(supervisor, place))) {
    if (performance.now() > deadline) {
      if (!force) throw takesTooLong(activeRuns(folder), withinMs);
      for (const supervisor of supervisors) signalTo(supervisor, 'SIGKILL', place);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Agents of supervisors that had died before, or were ended just now. Under the lock: a new loop's are left alone. */
async function endLeftBehind(folder: string, { root, place, force }: StopOptions): Promise<void> {
  const attempt = tryLock(workTreeLock(root, folder), 'a stop', place);
  if (!attempt.got) return;
  try {
    for (const loopKind of ['task', 'job']) {
      await endOrphans(root, { cwd: folder, loopKind, except: '' }, force ? 0 : GRACE_MS);
    }
    await markLeft(folder, () => true, Date.now());
  } finally {
    attempt.lock.release();
  }
}

/** The processes that turn loops of this task now: its own, and its jobs'. */
function supervisorsOf(folder: string, { root, place }: Pick<StopOptions, 'root' | 'place'>): Holder[] {
  const locks = [workTreeLock(root, folder), ...unendedJobs(root, folder).map(loopLock)];
  return locks.flatMap((lock) => lockHolder(lock, place) ?? []);
}

/** By its recorded identity: a pid that another process has by now is left alone. */
function signalTo(supervisor: Holder, signal: 'SIGTERM' | 'SIGKILL', place: MachineIdentity): void {
  if (!isRunning(supervisor, place)) return;
  try {
    process.kill(supervisor.pid, signal);
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

function takesTooLong(active: readonly RunInfo[], withinMs: Duration): RalphError {
  const names = active.map(({ runId }) => runId).join(', ');
  const fact = `${names === '' ? 'its supervisor' : `run ${names}`} did not stop within ${Math.round(withinMs / 1000)}s`;
  return new RalphError('STOP', `${fact}; use --force to send SIGKILL`, { exitCode: 1 });
}
