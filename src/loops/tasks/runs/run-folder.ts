/** Makes the folder of a run: its id is its name. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { makeFolders } from '../../../process/files.ts';
import { stamp, taskFile } from '../folder/task-folder.ts';

export interface RunFolder {
  readonly runId: string;
  readonly folder: string;
}

/** `YYYYMMDD-HHMMSSffff-PID-SEQ`, in UTC; the first sequence number that is free. */
export function makeRunFolder(task: string, now: Date): RunFolder {
  const runs = taskFile.runs(task);
  makeFolder(runs);
  const fraction = String(now.getUTCMilliseconds()).padStart(3, '0');
  for (let seq = 1; ; seq++) {
    const runId = `${stamp(now)}${fraction}0-${process.pid}-${seq}`;
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
    exitCode: 2,
  });
}
