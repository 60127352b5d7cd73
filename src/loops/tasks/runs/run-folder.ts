/** The runs of a task as they lie on disk, each in a folder that is named by its id. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compactSecond } from '../../../bus/message.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { makeFolders } from '../../../process/files.ts';
import { runFile, taskFile } from '../folder/task-folder.ts';
import { type RunInfo, readRunInfo } from './run-info.ts';

export interface RunFolder {
  readonly runId: string;
  readonly folder: string;
}

export interface SurveyedRun {
  readonly id: string;
  readonly folder: string;
  /** Null: none is there, or it is corrupt. */
  readonly info: RunInfo | null;
  /** Why a run-info that is there could not be read; it names the path. */
  readonly fault: string | null;
}

/** Runs that have ended, by their folders: nothing of them changes any more. */
export type EndedRuns = Map<string, SurveyedRun>;

/** `YYYYMMDD-HHMMSSffff-PID-SEQ`, in UTC; the first sequence number that is free. */
export function makeRunFolder(task: string, now: Date): RunFolder {
  const runs = taskFile.runs(task);
  makeFolder(runs);
  const fraction = String(now.getUTCMilliseconds()).padStart(3, '0');
  for (let seq = 1; ; seq++) {
    const runId = `${compactSecond(now.toISOString())}${fraction}0-${process.pid}-${seq}`;
    const folder = join(runs, runId);
    try {
      mkdirSync(folder, { mode: 0o755 });
      return { runId, folder };
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw cannotMake(folder, error);
    }
  }
}

export function runFolder(task: string, runId: string): string {
  return join(taskFile.runs(task), runId);
}

export function makeFolder(path: string): void {
  try {
    makeFolders(path, 0o755);
  } catch (error) {
    throw cannotMake(path, error);
  }
}

function cannotMake(path: string, error: unknown): RalphError {
  return new RalphError('TASK_FOLDER', `cannot make ${path}: ${reasonOf(error)}`, {
    hint: 'Choose another root with --root, free some space, or change the permissions.',
  });
}

/** By their ids, which is by their time. Folders only: a link could lead anywhere. A run-info that cannot be read does not hide the others. */
export function surveyRuns(taskFolder: string, ended: EndedRuns = new Map()): SurveyedRun[] {
  const runs = taskFile.runs(taskFolder);
  return foldersIn(runs).map((id) => {
    const folder = join(runs, id);
    const run = ended.get(folder) ?? { id, folder, ...readInfo(runFile.info(folder)) };
    if (run.info !== null && run.info.endTime !== null) ended.set(folder, run);
    return run;
  });
}

/** The names of the folders in a folder, sorted; none where there is no such folder. Neither links nor hidden ones. */
export function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw new RalphError('TASK_FOLDER', `cannot read ${folder}: ${reasonOf(error)}`);
  }
}

function readInfo(path: string): Pick<SurveyedRun, 'info' | 'fault'> {
  try {
    return { info: readRunInfo(path), fault: null };
  } catch (error) {
    if (error instanceof RalphError) return { info: null, fault: error.message };
    if (errnoOf(error) !== undefined) return { info: null, fault: `cannot read ${path}: ${reasonOf(error)}` };
    throw error;
  }
}
