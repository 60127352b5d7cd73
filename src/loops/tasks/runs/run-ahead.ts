/**
 * Remembers what the supervisor has done for a loop's last run before the journal says so: it creates the folder before
 * the run starts, and posts and reports the end before it records it. If it dies in between, the next supervisor reads
 * this file, and neither creates a second folder nor reports the end twice. Once there is a record, only the record
 * counts.
 */
import { join } from 'node:path';
import { readOwnJson } from '../../../process/files.ts';
import { replaceFile } from '../../../state/projection.ts';
import { runsFolder } from '../../../state/run-files.ts';
import type { RunSpan } from '../state.ts';
import type { RunInfo } from './run-info.ts';

export interface RunAhead extends RunSpan {
  /** The run's name in the journal. */
  readonly name: string;
  /** Its end was posted on the bus and written to its report. */
  readonly isReported: boolean;
  /** The ending that was posted, if the report could not be written. */
  readonly toldBus?: RunEnding;
}

export type RunEnding = Pick<RunInfo, 'exitCode' | 'status' | 'errorSummary'>;

export function writeAhead(loop: string, ahead: RunAhead): void {
  replaceFile(pathIn(loop), JSON.stringify(ahead));
}

/** Null if no run ever had a folder. */
export function readAhead(loop: string): RunAhead | null {
  // Not validated: written by `writeAhead`, in a folder that is private to the user.
  return readOwnJson(pathIn(loop)) as RunAhead | null;
}

function pathIn(loop: string): string {
  return join(runsFolder(loop), 'last-run.json');
}
