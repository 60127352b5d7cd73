/** Removes runs that ended long ago, tasks that are done and empty, and puts large message buses aside. */
import { realpathSync, rmSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { rotateBus } from '../../../bus/append.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import type { Instant } from '../../../core/time.ts';
import { sizeOfFolder } from '../../../state/folder-size.ts';
import type { SurveyedRun } from '../runs/run-info.ts';
import { projectsIn, type SurveyedTask, surveyTask, tasksIn } from './survey.ts';
import { projectBus, projectFolder, taskFile } from './task-folder.ts';

export interface GarbageRules {
  readonly root: string;
  /** Null: all of them. */
  readonly project: string | null;
  /** What began before then is old. */
  readonly before: Instant;
  readonly isDryRun: boolean;
  readonly keepFailed: boolean;
  readonly deleteDoneTasks: boolean;
  /** Null: buses stay as they are. */
  readonly rotateAbove: number | null;
  /** Is a loop about to start the task's next run? */
  readonly isLooping: (taskFolder: string) => boolean;
  readonly clock: (at: Instant) => string;
  readonly say: (line: string) => Promise<void>;
  readonly warn: (line: string) => void;
}

export const NOTHING_COLLECTED = { runs: 0, bytes: 0, tasks: 0, buses: 0 };

export async function collectGarbage(rules: GarbageRules): Promise<typeof NOTHING_COLLECTED> {
  const { root } = rules;
  const sum = { ...NOTHING_COLLECTED };
  for (const project of rules.project === null ? projectsIn(root) : [rules.project]) {
    const look = (): string[] => {
      const found = tasksIn(root, project);
      checkInside(root, projectFolder(root, project));
      return found;
    };
    // One that was asked for by name is not passed over.
    const tasks = rules.project === null ? attempt(look, rules) : look();
    if (tasks === null) continue;
    if (await isRotated(projectBus(projectFolder(root, project)), rules)) sum.buses++;
    for (const id of tasks) {
      const task = surveyTask(root, project, id);
      if (task.status === 'unreadable') for (const fault of task.faults) rules.warn(`warning: ${fault}`);
      if (await isRotated(taskFile.bus(task.folder), rules)) sum.buses++;
      const left: SurveyedRun[] = [];
      for (const run of task.runs) {
        const bytes = await collectRun(run, task, rules);
        if (bytes === null) left.push(run);
        else {
          sum.runs++;
          sum.bytes += bytes;
        }
      }
      if (left.length === 0 && (await isTaskCollected(task, rules))) sum.tasks++;
    }
  }
  return sum;
}

/** The bytes that are freed; null for a run that stays. */
async function collectRun(run: SurveyedRun, task: SurveyedTask, rules: GarbageRules): Promise<number | null> {
  const { info, fault, folder } = run;
  if (info === null) {
    rules.warn(
      fault === null
        ? `warning: skipping orphaned run dir ${run.id} (no run-info.yaml)`
        : `warning: skip ${folder}: ${fault}`,
    );
    return null;
  }
  // One that says it runs stays even if its process is not found: it may be in another container.
  if (info.status === 'running' || task.active.includes(run)) return null;
  if (rules.keepFailed && (info.status === 'failed' || info.exitCode !== 0)) return null;
  if (info.startTime >= rules.before || attempt(() => checkInside(rules.root, folder), rules) === null) return null;
  const bytes = sizeOfFolder(folder);
  const what = `${folder} (status=${info.status}, started=${rules.clock(info.startTime)}, size=${megabytes(bytes)} MB)`;
  return (await isRemoved(folder, what, rules)) ? bytes : null;
}

/** Only one in which nothing has happened for long, and nothing is about to. */
async function isTaskCollected(task: SurveyedTask, rules: GarbageRules): Promise<boolean> {
  if (!rules.deleteDoneTasks || !task.done) return false;
  if (task.lastActivity === null || task.lastActivity >= rules.before) return false;
  if (task.faults.length > 0 || rules.isLooping(task.folder)) return false;
  return isRemoved(task.folder, `task dir ${task.id} (DONE + empty)`, rules);
}

async function isRemoved(folder: string, what: string, rules: GarbageRules): Promise<boolean> {
  await rules.say(rules.isDryRun ? `[dry-run] would delete ${what}` : `deleting ${what}`);
  return rules.isDryRun || attempt(() => removeFolder(rules.root, folder), rules) !== null;
}

async function isRotated(bus: string, { rotateAbove, isDryRun, say, warn }: GarbageRules): Promise<boolean> {
  if (rotateAbove === null) return false;
  let what: string;
  try {
    const size = statSync(bus, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= rotateAbove) return false;
    what = `${basename(bus)} (${megabytes(size)} MB → archived)`;
    if (!isDryRun && (await rotateBus(bus, { aboveBytes: rotateAbove })) === null) return false;
  } catch (error) {
    if (!(error instanceof RalphError) && errnoOf(error) === undefined) throw error;
    warn(`warning: rotate ${bus}: ${error instanceof RalphError ? error.message : errnoOf(error)}`);
    return false;
  }
  await say(isDryRun ? `[dry-run] would rotate ${what}` : `Rotated ${what}`);
  return true;
}

/** Null for what cannot be done, which is warned of; the rest goes on. */
function attempt<T>(act: () => T, { warn }: GarbageRules): T | null {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    warn(`warning: ${error.message}`);
    return null;
  }
}

export function megabytes(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(1);
}

/** Links inside are removed, not followed. */
export function removeFolder(root: string, folder: string): void {
  checkInside(root, folder);
  try {
    rmSync(folder, { recursive: true });
  } catch (error) {
    throw new RalphError('REMOVE', `cannot delete ${folder}: ${errnoOf(error) ?? String(error)}`, { exitCode: 1 });
  }
}

/** Where the folder really lies must be where its name says, below the root. */
export function checkInside(root: string, folder: string): void {
  const way = relative(root, folder);
  const isBelow = way !== '' && !way.startsWith('..');
  if (isBelow && realOf(folder) === join(realOf(root), way)) return;
  throw new RalphError('REMOVE', `will not delete ${folder}: a link leads out of ${root}`, {
    hint: 'Remove it by hand, if that is meant.',
    exitCode: 1,
  });
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new RalphError('REMOVE', `cannot delete ${path}: ${errnoOf(error) ?? String(error)}`, { exitCode: 1 });
  }
}
