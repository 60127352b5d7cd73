/** The ancestors of this process with their environments, nearest first, and the cgroups it lives in. */
import { readFileSync } from 'node:fs';
import { nullOn } from './files.ts';
import type { ProcessIdentity } from './identity/identity.ts';
import { thisMachine } from './identity/identity.ts';
import { readTable } from './identity/process-table.ts';

export interface Ancestor extends ProcessIdentity {
  /** The value of a variable that it was started with; null if it has none, or its environment is not visible. */
  variable(name: string): string | null;
}

/** Only those that still exist: a process whose parent has ended is a child of init, or of its namespace's init. */
export function ancestorsOf(pid: number): Ancestor[] {
  const { rows, wordsOf } = readTable();
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const { boot } = thisMachine();
  const found: Ancestor[] = [];
  for (let row = byPid.get(byPid.get(pid)?.parent ?? 0); row !== undefined; row = byPid.get(row.parent)) {
    const { pid: number, startTime } = row;
    // The table was not read at one moment: with reused pids, the chain could become a cycle.
    if (number === pid || found.some((one) => one.pid === number)) break;
    const variable = (name: string): string | null => wordsOf(number, name, '')?.join(' ') || null;
    found.push({ pid: number, startTime, boot, variable });
  }
  return found;
}

/** The names of the cgroups that this process lives in, outermost first; empty if the kernel has no cgroup v2. */
export function ownCgroups(): string[] {
  const text = nullOn(['ENOENT', 'EACCES'], () => readFileSync('/proc/self/cgroup', 'utf8')) ?? '';
  const [, path = ''] = /^0::(.*)$/m.exec(text) ?? [];
  return path.split('/').filter(Boolean);
}
