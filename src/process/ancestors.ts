/** The processes that this one descends from, nearest first, and what the kernel and they themselves tell of their runs. */
import { readFileSync } from 'node:fs';
import { nullOn } from './files.ts';
import type { ProcessIdentity } from './identity/identity.ts';
import { thisMachine } from './identity/identity.ts';
import { readTable } from './identity/process-table.ts';

export interface Ancestor extends ProcessIdentity {
  /** The value of a variable that it was started with; null where it has none, or does not show its environment. */
  variable(name: string): string | null;
}

/** Those that are still there: a process whose parent has ended is a child of the init, or of a namespace's. */
export function ancestorsOf(pid: number): Ancestor[] {
  const { rows, wordsOf } = readTable();
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const { boot } = thisMachine();
  const found: Ancestor[] = [];
  for (let row = byPid.get(byPid.get(pid)?.parent ?? 0); row !== undefined; row = byPid.get(row.parent)) {
    const { pid: number, startTime } = row;
    // The table was not read in one moment: numbers that were given again could make a ring.
    if (number === pid || found.some((one) => one.pid === number)) break;
    const variable = (name: string): string | null => wordsOf(number, name, '')?.join(' ') || null;
    found.push({ pid: number, startTime, boot, variable });
  }
  return found;
}

/** The names of the cgroups that this process lives in, outermost first; none where the kernel has no version 2. */
export function ownCgroups(): string[] {
  const text = nullOn(['ENOENT', 'EACCES'], () => readFileSync('/proc/self/cgroup', 'utf8')) ?? '';
  const [, path = ''] = /^0::(.*)$/m.exec(text) ?? [];
  return path.split('/').filter(Boolean);
}
