/** `ralph task stop`: ends what a task does, and its children. */
import { existsSync, realpathSync } from 'node:fs';
import { readEnvironment } from '../../config/environment.ts';
import { stopTask } from '../../loops/tasks/stop.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import { placeOf, wrong } from './run.ts';

export interface TaskStopFlags {
  readonly project?: string;
  readonly task?: string;
  readonly root?: string;
  readonly force?: boolean;
  /** Commander's form of `--no-restart`. */
  readonly restart?: boolean;
}

const WITHIN_MS = 30_000;

export async function taskStopCommand(flags: TaskStopFlags): Promise<number> {
  const environment = readEnvironment();
  const { folder, task } = placeOf(flags, environment, { makesTask: false });
  if (!existsSync(folder)) throw wrong(`task directory not found: ${folder}`);
  const { runs, left, supervisors } = await stopTask(realpathSync(folder), {
    root: environment.root,
    place: thisMachine(),
    permanent: flags.restart === false,
    force: flags.force === true,
    withinMs: WITHIN_MS,
  });
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
