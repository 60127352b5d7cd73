/** `ralph task gc`: removes old runs, tasks that are done and empty, and old loops, and rotates large buses. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { rotateBus } from '../../bus/append.ts';
import { plural } from '../../core/budget/usage.ts';
import { errnoOf, handled, RalphError } from '../../core/error.ts';
import { checkProjectId } from '../../core/text/task-ids.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { collectLoops } from '../../engine/left-behind/collect-loops.ts';
import { projectsIn, type SurveyedTask, surveyTask, tasksIn } from '../../loops/tasks/folder/survey.ts';
import {
  checkInside,
  projectBus,
  projectFolder,
  removeFolder,
  taskFile,
  tasksRoot,
} from '../../loops/tasks/folder/task-folder.ts';
import { isLooping } from '../../loops/tasks/runs/liveness.ts';
import type { SurveyedRun } from '../../loops/tasks/runs/run-info.ts';
import { realPathOr } from '../../process/files.ts';
import { sizeOfFolder } from '../../state/folders.ts';
import { loopsFolder } from '../../state/paths.ts';
import { pointedAt } from '../loops/pointed-at.ts';
import { parseSize } from '../program/values.ts';
import { clockSecond } from '../terminal/words.ts';
import { type Terminal, usage } from './terminal.ts';

interface GcFlags {
  readonly root?: string;
  readonly project?: string;
  readonly olderThan: Duration;
  readonly dryRun?: boolean;
  readonly keepFailed?: boolean;
  readonly rotateBus?: boolean;
  readonly busMaxSize: string;
  readonly deleteDoneTasks?: boolean;
}

interface Collecting {
  readonly flags: GcFlags;
  readonly terminal: Terminal;
  readonly root: string;
  readonly project: string | null;
  /** Runs that began before this time are old. */
  readonly before: Instant;
  readonly busMaxBytes: number;
  readonly sum: { runs: number; bytes: number; tasks: number; buses: number };
}

export async function gcCommand(flags: GcFlags, terminal: Terminal): Promise<number> {
  const { environment, cwd, show, warn } = terminal;
  const isDryRun = flags.dryRun === true;
  const root = tasksRoot(environment.variables, flags.root, cwd);
  const busMaxBytes = parseSize(flags.busMaxSize);
  if (busMaxBytes === null) {
    throw usage(
      `invalid --bus-max-size ${JSON.stringify(flags.busMaxSize)}`,
      'It is a size such as 10MB, 100KB or 1GB.',
    );
  }
  // Not inferred from the current folder: without --project, all projects are meant.
  const project = flags.project ? checkProjectId(flags.project) : null;
  const before = Date.now() - flags.olderThan;
  const sum = { runs: 0, bytes: 0, tasks: 0, buses: 0 };
  // Even without tasks, there can be loops.
  if (existsSync(root) || flags.root !== undefined || project !== null) {
    await collectTasks({ flags, terminal, root, project, before, busMaxBytes, sum });
  }
  // For the loops of the project's tasks, whose directories are the task folders.
  const own = project === null ? [] : [projectFolder(root, project), realPathOr(projectFolder(root, project))];
  const loops = await collectLoops({
    before,
    isDryRun,
    room: null,
    keepFailed: flags.keepFailed === true,
    removed: ({ id, loopKind, cwd: folder }) =>
      show(`${isDryRun ? '[dry-run] would delete' : 'deleting'} loop ${id} (${loopKind} in ${folder})`),
    warn,
    root: environment.root,
    isPointedAt: pointedAt(environment),
    isMeant: ({ cwd: folder }) => project === null || own.includes(dirname(folder)),
  });
  const done = isDryRun ? 'Would delete' : 'Deleted';
  await show(`${done} ${sum.runs} runs, freed ${megabytes(sum.bytes)} MB`);
  if (sum.tasks > 0) await show(`${done} ${sum.tasks} task directories (DONE + empty runs)`);
  const where = `in ${loopsFolder(environment.root)}, freed ${megabytes(loops.bytes)} MB`;
  if (loops.loops > 0) await show(`${done} ${plural(loops.loops, 'loop')} ${where}`);
  if (sum.buses > 0) await show(`${isDryRun ? 'Would rotate' : 'Rotated'} ${sum.buses} message bus file(s)`);
  return 0;
}

async function collectTasks(collecting: Collecting): Promise<void> {
  const { root, terminal, sum } = collecting;
  for (const project of collecting.project === null ? projectsIn(root) : [collecting.project]) {
    const look = (): string[] => {
      const found = tasksIn(root, project);
      checkInside(root, projectFolder(root, project));
      return found;
    };
    // A project that was named is not skipped with a warning.
    const tasks = collecting.project === null ? attempt(look, terminal) : look();
    if (tasks === null) continue;
    if (await isRotated(projectBus(projectFolder(root, project)), collecting)) sum.buses++;
    for (const id of tasks) {
      const task = surveyTask(root, project, id);
      if (task.status === 'unreadable') for (const fault of task.faults) terminal.warn(`warning: ${fault}`);
      if (await isRotated(taskFile.bus(task.folder), collecting)) sum.buses++;
      let left = task.runs.length;
      for (const run of task.runs) {
        const bytes = await collectRun(run, task, collecting);
        if (bytes === null) continue;
        left--;
        sum.runs++;
        sum.bytes += bytes;
      }
      if (left === 0 && (await isTaskCollected(task, collecting))) sum.tasks++;
    }
  }
}

/** The bytes that are freed; null for a run that stays. */
async function collectRun(run: SurveyedRun, task: SurveyedTask, collecting: Collecting): Promise<number | null> {
  const { flags, terminal, root, before } = collecting;
  const { info, fault, folder } = run;
  if (info === null) {
    const why = fault === null ? `skipping orphaned run dir ${run.id} (no run-info.yaml)` : `skip ${folder}: ${fault}`;
    terminal.warn(`warning: ${why}`);
    return null;
  }
  // A run that says that it is running stays even if its process is not found: it may be in another container.
  if (info.status === 'running' || task.active.includes(run)) return null;
  if (flags.keepFailed === true && (info.status === 'failed' || info.exitCode !== 0)) return null;
  if (info.startTime >= before || attempt(() => checkInside(root, folder), terminal) === null) return null;
  const bytes = sizeOfFolder(folder);
  const what = `${folder} (status=${info.status}, started=${clockSecond(info.startTime)}, size=${megabytes(bytes)} MB)`;
  return (await isRemoved(folder, what, collecting)) ? bytes : null;
}

/** Only a task in which nothing has happened for a long time, and that has no running loop. */
async function isTaskCollected(task: SurveyedTask, collecting: Collecting): Promise<boolean> {
  const { flags, before, terminal } = collecting;
  if (flags.deleteDoneTasks !== true || !task.done) return false;
  if (task.lastActivity === null || task.lastActivity >= before) return false;
  if (task.faults.length > 0 || isLooping(task.folder, terminal.environment.root)) return false;
  return isRemoved(task.folder, `task dir ${task.id} (DONE + empty)`, collecting);
}

async function isRemoved(folder: string, what: string, { flags, terminal, root }: Collecting): Promise<boolean> {
  await terminal.show(flags.dryRun === true ? `[dry-run] would delete ${what}` : `deleting ${what}`);
  return flags.dryRun === true || attempt(() => removeFolder(root, folder), terminal) !== null;
}

async function isRotated(bus: string, { flags, terminal, busMaxBytes }: Collecting): Promise<boolean> {
  if (flags.rotateBus !== true) return false;
  try {
    const size = statSync(bus, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= busMaxBytes) return false;
    if (flags.dryRun !== true && (await rotateBus(bus, busMaxBytes)) === null) return false;
    const what = `${basename(bus)} (${megabytes(size)} MB → archived)`;
    await terminal.show(flags.dryRun === true ? `[dry-run] would rotate ${what}` : `Rotated ${what}`);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    terminal.warn(`warning: rotate ${bus}: ${error instanceof RalphError ? error.message : errnoOf(error)}`);
    return false;
  }
}

/** Null if it fails: that is only a warning, so that the rest continues. */
function attempt<T>(act: () => T, { warn }: Terminal): T | null {
  return handled(act, ({ message }) => {
    warn(`warning: ${message}`);
    return null;
  });
}

function megabytes(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(1);
}
