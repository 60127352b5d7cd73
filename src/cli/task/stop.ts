/** `ralph task stop` ends what a task does, and its children; `ralph task delete` removes one, but never while it is at work. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { readEnvironment } from '../../config/environment.ts';
import { RalphError } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';
import { surveyTask } from '../../loops/tasks/folder/survey.ts';
import {
  removeFolder,
  type ScopeFlags,
  type TaskPlace,
  taskPlace,
  tasksRoot,
} from '../../loops/tasks/folder/task-folder.ts';
import { isLooping } from '../../loops/tasks/runs/liveness.ts';
import { stopTask } from '../../loops/tasks/stop.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import type { StateRoot } from '../../state/paths.ts';
import { notFound, placeOf, type Terminal, usage } from './terminal.ts';

export interface TaskStopFlags extends ScopeFlags {
  readonly force?: boolean;
  /** Commander's form of `--no-restart`. */
  readonly restart?: boolean;
}

/** How long a supervisor has to end its agents, until it is ended, too. */
const WITHIN_MS: Duration = 30_000;

export async function taskStopCommand(flags: TaskStopFlags): Promise<number> {
  const environment = readEnvironment();
  const { folder, task } = placeOf(flags, environment, false);
  if (!existsSync(folder)) throw usage(`task directory not found: ${folder}`);
  const how = { permanent: flags.restart === false, force: flags.force === true };
  const { runs, left, supervisors } = await stopIn(folder, environment.root, how);
  for (const { runId, pid } of runs) process.stdout.write(`Stopped run ${runId} (PID ${pid})\n`);
  for (const { runId, pid } of left) {
    process.stderr.write(`error: run ${runId} (PID ${pid}) was not started by a loop of yours here; it goes on\n`);
  }
  if (runs.length === 0 && left.length === 0) {
    const [pid] = supervisors;
    process.stdout.write(
      pid === undefined ? `No active run of ${task}\n` : `Stopped the loop of ${task} (PID ${pid})\n`,
    );
  }
  return left.length === 0 ? 0 : 1;
}

function stopIn(folder: string, root: StateRoot, how: { readonly permanent: boolean; readonly force: boolean }) {
  return stopTask(realpathSync(folder), { root, place: thisMachine(), withinMs: WITHIN_MS, ...how });
}

export async function deleteCommand(flags: Omit<TaskStopFlags, 'restart'>, terminal: Terminal): Promise<number> {
  const { environment, cwd } = terminal;
  // Never from where we are: an agent that forgets a flag would delete its own task.
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
    await stopIn(place.folder, environment.root, { permanent: false, force: true });
    const still = obstacle(place, environment.root);
    if (still?.isAtWork === true) throw refuse(`task ${place.task} still has ${still.what}; it was not deleted`);
  }
  removeFolder(place.root, place.folder);
  await terminal.show(`Deleted task: ${place.task}`);
  return 0;
}

/** Why it is not deleted: it is at work, or its files do not say whether it is. */
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
