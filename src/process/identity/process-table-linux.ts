/** The process table from /proc. */
import { readdirSync } from 'node:fs';
import { MARK_VARIABLE } from '../containment/mark.ts';
import { readGone, readRow } from './identity-linux.ts';
import type { ProcessRow } from './process-table.ts';

export function readTable(): ProcessRow[] {
  const table: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = readRow(pid);
    if (row !== null) table.push(row);
  }
  return table;
}

/** The value of the mark variable in a process's environment at its start. */
export function marksOf(pid: number): string | null {
  const environment = readGone(`/proc/${pid}/environ`);
  const start = environment === null ? -1 : `\0${environment}`.indexOf(`\0${MARK_VARIABLE}=`);
  if (environment === null || start < 0) return null;
  const value = environment.slice(start + MARK_VARIABLE.length + 1);
  return value.slice(0, value.indexOf('\0'));
}
