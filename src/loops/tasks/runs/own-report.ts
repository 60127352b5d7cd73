/** The report of a run of our own. An agent can spoil it or take it away; then it is written again from what is known. */
import { statSync } from 'node:fs';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { faultMessage } from '../../../core/system-fault.ts';
import { runFile } from '../folder/task-folder.ts';
import type { TaskRequest } from '../rules.ts';
import { makeFolder, runFolder } from './run-folder.ts';
import { type RunInfo, readRunInfo, writeRunInfo } from './run-info.ts';
import { beginning } from './run-report.ts';

export interface OwnReport {
  readonly info: RunInfo;
  /** What was wrong with the one that was there. */
  readonly fault: string | null;
}

export function ownReport(request: TaskRequest, runId: string, now: number): OwnReport {
  const folder = runFolder(request.folder, runId);
  const path = runFile.info(folder);
  let fault = `${path} was taken away`;
  try {
    const info = readRunInfo(path);
    if (info !== null) return { info, fault: null };
  } catch (error) {
    if (!(error instanceof RalphError) && errnoOf(error) === undefined) throw error;
    fault = faultMessage(error);
  }
  const begun = statSync(runFile.prompt(folder), { throwIfNoEntry: false })?.mtimeMs ?? now;
  const info = beginning(request, runId, null, process.pid, Math.round(begun));
  makeFolder(folder);
  writeRunInfo(path, info);
  return { info, fault };
}
