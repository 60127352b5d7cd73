/** The process table from ps. Without /proc there are no marks: group and tree have to do. */
import { execFileSync } from 'node:child_process';
import type { ProcessRow } from './process-table.ts';

export function readTable(): ProcessRow[] {
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], { encoding: 'utf8' });
  return text
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, parent, group, state, startTime]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      startTime: startTime?.trim() ?? '',
      isDead: state?.startsWith('Z') ?? false,
    }));
}

export function marksOf(_pid: number): string | null {
  return null;
}
