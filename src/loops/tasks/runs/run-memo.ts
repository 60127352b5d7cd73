/**
 * The folder of a loop's last run, and whether its end was reported. Both happen before a record can say so: the folder is
 * made before the agent starts, its end is reported before it is judged. So they are written ahead, beside the journal,
 * where no agent is asked to write.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeProjection } from '../../../state/projection.ts';
import { runsFolder } from '../../../state/run-files.ts';
import type { RunSpan } from '../folder/signals.ts';
import type { RunInfo } from './run-info.ts';

interface Memo extends RunSpan, Reported {
  readonly name: string;
}

interface Reported {
  /** On the bus and in its report. */
  readonly isReported: boolean;
  /** What was posted, where the report could not be written. */
  readonly toldBus?: RunEnding;
}

/** How a run ended, as its report says it. */
export type RunEnding = Pick<RunInfo, 'exitCode' | 'status' | 'errorSummary'>;

/** A loop does one thing at a time: only of its last run is anything asked. */
export function writeMemo(loop: string, name: string, { runId, busOffset }: RunSpan, reported: Reported): void {
  const memo: Memo = { runId, busOffset, name, ...reported };
  writeProjection(pathOf(loop), JSON.stringify(memo));
}

/** Null for a run that was claimed but never came to a folder. */
export function readMemo(loop: string, name: string): (RunSpan & Reported) | null {
  const memo = lastMemo(loop);
  return memo?.name === name ? memo : null;
}

export function lastSpan(loop: string): RunSpan | null {
  return lastMemo(loop);
}

function lastMemo(loop: string): Memo | null {
  const path = pathOf(loop);
  // Written by this file, in a folder that is private to the user.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Memo) : null;
}

function pathOf(loop: string): string {
  return join(runsFolder(loop), 'last-run.json');
}
