/**
 * What the supervisor did about a loop's last run before a record could say so: it makes the folder before the run
 * starts, and posts and reports the end before it records it. If it dies in between, the next supervisor reads this and
 * neither makes a second folder nor reports the end twice. Once the record is there, only the record counts.
 */
import { join } from 'node:path';
import { readOwnJson } from '../../../process/files.ts';
import { replaceFile } from '../../../state/projection.ts';
import { runsFolder } from '../../../state/run-files.ts';
import type { RunSpan } from '../state.ts';
import type { RunInfo } from './run-info.ts';

export interface RunAhead extends RunSpan {
  /** Of the run in the journal. */
  readonly name: string;
  /** Its end is on the bus and in its report. */
  readonly isReported: boolean;
  /** What was posted, where the report could not be written. */
  readonly toldBus?: RunEnding;
}

export type RunEnding = Pick<RunInfo, 'exitCode' | 'status' | 'errorSummary'>;

export function writeAhead(loop: string, ahead: RunAhead): void {
  replaceFile(pathIn(loop), JSON.stringify(ahead));
}

/** Null where no run ever came to a folder. */
export function readAhead(loop: string): RunAhead | null {
  // Written here, in a folder that is private to the user.
  return readOwnJson(pathIn(loop)) as RunAhead | null;
}

function pathIn(loop: string): string {
  return join(runsFolder(loop), 'last-run.json');
}
