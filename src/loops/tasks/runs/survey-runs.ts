/** The runs of a task as they lie on disk. A run-info that cannot be read costs nobody the others. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { runFile, taskFile } from '../folder/task-folder.ts';
import { type RunInfo, readRunInfo } from './run-info.ts';

export interface SurveyedRun {
  /** The name of its folder. */
  readonly id: string;
  readonly folder: string;
  /** Null: none is there, or it is corrupt. */
  readonly info: RunInfo | null;
  /** Why a run-info that is there could not be read; it names the path. */
  readonly fault: string | null;
}

/** Runs that had ended when somebody looked: nothing of them changes any more. By their folders. */
export type EndedRuns = Map<string, SurveyedRun>;

/** By their ids, which is by their time. Folders only: a link could lead anywhere. */
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
    throw new RalphError('TASK_FOLDER', `cannot read ${folder}: ${reasonOf(error)}`, { exitCode: 2 });
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
