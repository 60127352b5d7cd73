/** Which run folder belongs to which key of a loop: kept with the loop's own files, where no agent is asked to write. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runsFolder } from '../../state/run-files.ts';
import type { RunSpan } from './wait-signals.ts';

export function writeMemo(loop: string, name: string, span: RunSpan): void {
  for (const memo of [name, LAST]) writeFileSync(pathOf(loop, memo), JSON.stringify(span), { mode: 0o600 });
}

/** Null for a run that was claimed but never came to a folder. */
export function readMemo(loop: string, name: string): RunSpan | null {
  const path = pathOf(loop, name);
  // Written by this file, in a folder that is private to the user.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RunSpan) : null;
}

/** The run that was opened last in this loop. */
export function lastSpan(loop: string): RunSpan | null {
  return readMemo(loop, LAST);
}

const LAST = 'last-run';

function pathOf(loop: string, name: string): string {
  return join(runsFolder(loop), `${name}.run.json`);
}
