/** Who belongs to a run, as far as the process table shows it: its group, its tree and whoever carries its mark. */
import type { ProcessIdentity } from './identity.ts';
import * as darwin from './process-table-darwin.ts';
import * as linux from './process-table-linux.ts';

/** One row of the process table. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly startTime: string;
  /** Ended, but not yet reaped. */
  readonly isDead: boolean;
}

const platform = process.platform === 'darwin' ? darwin : linux;

/** Living processes of the run. `leader` is the process we started, if its identity was ever recorded. */
export function processesOf(mark: string, leader: ProcessIdentity | null): number[] {
  const all = platform.readTable();
  const byPid = new Map(all.map((stat) => [stat.pid, stat]));
  const first = leader === null ? undefined : byPid.get(leader.pid);
  // The pid was given to somebody else: its group and its tree are not ours any more.
  const reused = first !== undefined && leader !== null && first.startTime !== leader.startTime;
  const group = leader === null || reused ? null : leader.pid;

  const ours = new Set<number>();
  for (const stat of all) {
    if (stat.group === group || stat.pid === group || platform.marksOf(stat.pid)?.split(' ').includes(mark))
      ours.add(stat.pid);
  }
  for (let grew = true; grew; ) {
    grew = false;
    for (const stat of all) {
      if (ours.has(stat.pid) || !ours.has(stat.parent)) continue;
      ours.add(stat.pid);
      grew = true;
    }
  }
  ours.delete(process.pid);
  return [...ours].filter((pid) => {
    const stat = byPid.get(pid);
    return stat !== undefined && !stat.isDead;
  });
}
