/** `ralph task stop` ends a task's loop, agent and children; `ralph task delete` removes a task that is not at work. */
import { existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnvironment } from '../../config/environment.ts';
import { RalphError } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';
import { endOrphans } from '../../engine/left-behind/orphans.ts';
import { PERMANENT } from '../../loops/tasks/folder/signals.ts';
import { surveyTask } from '../../loops/tasks/folder/survey.ts';
import type { ScopeFlags, TaskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { removeFolder, taskFile, taskPlace, tasksRoot } from '../../loops/tasks/folder/task-folder.ts';
import { unendedJobs } from '../../loops/tasks/jobs/job-broker.ts';
import { isLooping, isRunActive, markLeft } from '../../loops/tasks/runs/liveness.ts';
import { type RunInfo, surveyRuns } from '../../loops/tasks/runs/run-info.ts';
import { nullOn, realPath } from '../../process/files.ts';
import { isRunning } from '../../process/identity/identity.ts';
import { removeEntry } from '../../state/held-folder.ts';
import { type Holder, lockHolder, tryLock } from '../../state/lock.ts';
import { loopLock, type StateRoot, workTreeLock } from '../../state/paths.ts';
import { writeAnew } from '../../state/projection.ts';
import { notFound, placeOf, type Terminal, usage } from './terminal.ts';

export interface TaskStopFlags extends ScopeFlags {
  readonly force?: boolean;
  /** Commander's form of `--no-restart`. */
  readonly restart?: boolean;
}

const WITHIN_MS: Duration = 30_000;
/** A job that is being started gets its supervisor within this time. */
const STARTING_TAKES_AT_MOST_MS = 2000;
const LOOK_EVERY_MS = 20;
const GRACE_MS = 5000;

export async function taskStopCommand(flags: TaskStopFlags): Promise<number> {
  const environment = readEnvironment();
  const { folder, task } = placeOf(flags, environment, false);
  if (!existsSync(folder)) throw usage(`task directory not found: ${folder}`);
  const how = { permanent: flags.restart === false, force: flags.force === true };
  const { runs, left, supervisors } = await stopTask(realPath(folder), { root: environment.root, ...how });
  for (const { runId, pid } of runs) process.stdout.write(`Stopped run ${runId} (PID ${pid})\n`);
  for (const { runId, pid } of left) {
    process.stderr.write(
      `error: run ${runId} (PID ${pid}) was not started by one of your loops here; it is still running\n`,
    );
  }
  if (runs.length === 0 && left.length === 0) {
    const [pid] = supervisors;
    const what = pid === undefined ? `No active run of ${task}` : `Stopped the loop of ${task} (PID ${pid})`;
    process.stdout.write(`${what}\n`);
  }
  return left.length === 0 ? 0 : 1;
}

export async function deleteCommand(flags: Omit<TaskStopFlags, 'restart'>, terminal: Terminal): Promise<number> {
  const { environment, cwd } = terminal;
  // Never inferred from the current folder: an agent that forgets a flag would delete its own task.
  if (!flags.project) throw usage('--project is required');
  if (!flags.task) throw usage('--task is required');
  const place = taskPlace(tasksRoot(environment.variables, flags.root, cwd), flags.project, flags.task);
  if (statSync(place.folder, { throwIfNoEntry: false }) === undefined) {
    throw notFound(`task not found: ${place.project}/${place.task}`);
  }
  const refuse = (fact: string): RalphError => new RalphError('RUNNING', fact, { exitCode: 1 });
  const found = obstacle(place, environment.root);
  if (found !== null && flags.force !== true) {
    throw refuse(`task ${place.task} has ${found.what}; use --force to delete anyway`);
  }
  if (found?.isAtWork === true) {
    await stopTask(realPath(place.folder), { root: environment.root, permanent: false, force: true });
    const still = obstacle(place, environment.root);
    if (still?.isAtWork === true) throw refuse(`task ${place.task} still has ${still.what}; it was not deleted`);
  }
  removeFolder(place.root, place.folder);
  await terminal.show(`Deleted task: ${place.task}`);
  return 0;
}

/** Why a task is not deleted: it is at work, or its files do not show whether it is. */
function obstacle({ root, project, task, folder }: TaskPlace, state: StateRoot) {
  const { active, runs, status } = surveyTask(root, project, task);
  const run = active.at(-1);
  if (run !== undefined) return { isAtWork: true, what: `a running run (${run.id})` };
  if (isLooping(folder, state)) return { isAtWork: true, what: 'a running loop' };
  if (status === 'unreadable') return { isAtWork: false, what: 'files that cannot be read' };
  const unread = runs.find(({ fault }) => fault !== null);
  if (unread === undefined) return null;
  return { isAtWork: false, what: `a run whose run-info.yaml cannot be read (${unread.id})` };
}

interface StopOptions {
  readonly root: StateRoot;
  /** The task may then only be resumed, not started again. */
  readonly permanent: boolean;
  readonly force: boolean;
  /** How long a supervisor has to end its agents. After that, it is killed with `force`; otherwise, stopping fails. */
  readonly withinMs?: Duration;
}

/** `left`: runs that continue, as no loop of this user on this machine started them, so they are not ours to end. */
export async function stopTask(folder: string, options: StopOptions) {
  const { permanent, withinMs = WITHIN_MS } = options;
  const runs = activeRuns(folder);
  const supervisors = supervisorsOf(folder, options).map(({ pid }) => pid);
  const isIdle = runs.length === 0 && supervisors.length === 0;
  if (!isIdle || permanent) {
    const order = taskFile.stopRequested(folder);
    // The agent can write to this folder: through a link of this name, we would write somewhere else.
    removeEntry(order);
    writeAnew(order, permanent ? `${PERMANENT}\n` : `${new Date().toISOString()}\n`, 0o644);
  }
  if (isIdle) return { runs, left: [], supervisors };
  const deadline = performance.now() + withinMs;
  let aloneSince: number | null = null;
  for (;;) {
    await endSupervisors(folder, { ...options, withinMs }, deadline);
    await endLeftBehind(folder, options);
    // A job that was just being started had no supervisor yet that could get a signal.
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

async function endSupervisors(folder: string, options: Required<StopOptions>, deadline: number): Promise<void> {
  const { withinMs, force } = options;
  const supervisors = supervisorsOf(folder, options);
  for (const supervisor of supervisors) signalTo(supervisor, 'SIGTERM');
  while (supervisors.some((supervisor) => isRunning(supervisor))) {
    if (performance.now() > deadline) {
      if (!force) throw takesTooLong(activeRuns(folder), withinMs);
      for (const supervisor of supervisors) signalTo(supervisor, 'SIGKILL');
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Ends agents whose supervisors died earlier or were ended just now. The lock keeps a new loop's agents out of it. */
async function endLeftBehind(folder: string, { root, force }: StopOptions): Promise<void> {
  const attempt = tryLock(workTreeLock(root, folder), 'a stop');
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

/** The processes that drive loops of this task now: its own, and those of its jobs. */
function supervisorsOf(folder: string, { root }: Pick<StopOptions, 'root'>): Holder[] {
  const locks = [workTreeLock(root, folder), ...unendedJobs(root, folder).map(loopLock)];
  return locks.flatMap((lock) => lockHolder(lock) ?? []);
}

/** Checks the recorded identity first, because another process may have the pid by now. */
function signalTo(supervisor: Holder, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (isRunning(supervisor)) nullOn(['ESRCH'], () => process.kill(supervisor.pid, signal));
}

function takesTooLong(active: readonly RunInfo[], withinMs: Duration): RalphError {
  const names = active.map(({ runId }) => runId).join(', ');
  const fact = `${names === '' ? 'its supervisor' : `run ${names}`} did not stop within ${Math.round(withinMs / 1000)}s`;
  return new RalphError('STOP', `${fact}; use --force to send SIGKILL`, { exitCode: 1 });
}
