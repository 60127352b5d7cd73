/** `ralph task delete`: removes a task and all its runs, but never one that is at work. */
import { realpathSync, statSync } from 'node:fs';
import { RalphError } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';
import { removeFolder } from '../../loops/tasks/folder/collect-garbage.ts';
import { tasksRoot } from '../../loops/tasks/folder/root.ts';
import { surveyTask } from '../../loops/tasks/folder/survey.ts';
import { type TaskPlace, taskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { isLooping } from '../../loops/tasks/runs/liveness.ts';
import { stopTask } from '../../loops/tasks/stop.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import type { StateRoot } from '../../state/paths.ts';
import type { Terminal } from './terminal.ts';

export interface DeleteFlags {
  readonly root?: string;
  readonly project?: string;
  readonly task?: string;
  readonly force?: boolean;
}

/** How long a supervisor has to end its agents, until it is ended, too. */
const WITHIN: Duration = 30_000;

export async function deleteCommand(flags: DeleteFlags, terminal: Terminal): Promise<number> {
  const { environment, cwd } = terminal;
  // Never from where we are: an agent that forgets a flag would delete its own task.
  if (!flags.project) throw new RalphError('USAGE', '--project is required', { exitCode: 2 });
  if (!flags.task) throw new RalphError('USAGE', '--task is required', { exitCode: 2 });
  const place = taskPlace(tasksRoot(environment.variables, flags.root, cwd), flags.project, flags.task);
  if (statSync(place.folder, { throwIfNoEntry: false }) === undefined) {
    throw new RalphError('NOT_FOUND', `task not found: ${place.project}/${place.task}`, { exitCode: 1 });
  }
  const busy = atWork(place, environment.root);
  const doubt = busy ?? unreadable(place);
  if (doubt !== null && flags.force !== true) {
    throw new RalphError('RUNNING', `task ${place.task} has ${doubt}; use --force to delete anyway`, { exitCode: 1 });
  }
  if (busy !== null) {
    await stopTask(realpathSync(place.folder), {
      root: environment.root,
      place: thisMachine(),
      permanent: false,
      force: true,
      withinMs: WITHIN,
    });
    const still = atWork(place, environment.root);
    if (still !== null) {
      throw new RalphError('RUNNING', `task ${place.task} still has ${still}; it was not deleted`, { exitCode: 1 });
    }
  }
  removeFolder(place.root, place.folder);
  await terminal.show(`Deleted task: ${place.task}`);
  return 0;
}

function atWork({ root, project, task, folder }: TaskPlace, state: StateRoot): string | null {
  const run = surveyTask(root, project, task).active.at(-1);
  if (run !== undefined) return `a running run (${run.id})`;
  return isLooping(folder, state) ? 'a running loop' : null;
}

/** Nobody can say whether it runs. */
function unreadable({ root, project, task }: TaskPlace): string | null {
  const { runs, status } = surveyTask(root, project, task);
  if (status === 'unreadable') return 'files that cannot be read';
  const run = runs.find(({ fault }) => fault !== null);
  return run === undefined ? null : `a run whose run-info.yaml cannot be read (${run.id})`;
}
