/** The processes of a run, as far as the process table shows them: its group, its tree, and those with its mark. */
import { errnoOf } from '../../core/error.ts';
import { type ProcessIdentity, thisMachine } from './identity.ts';
import * as darwin from './identity-darwin.ts';
import * as linux from './identity-linux.ts';

const platform = process.platform === 'darwin' ? darwin : linux;

/** Holds the marks of all runs a process descends from, so that a loop inside a loop still belongs to the outer one. */
export const MARK_VARIABLE = 'RALPH_MARK';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly startTime: string;
  /** Ended, but not yet reaped. */
  readonly isDead: boolean;
}

/** What one look at all processes has shown. */
export interface ProcessTable {
  readonly rows: readonly ProcessRow[];
  /** The words of a variable in the environment that a process was started with; none, where `wanted` is not among them. */
  wordsOf(pid: number, variable: string, wanted: string): readonly string[];
}

/**
 * Living processes of the run. `recorded` is the process we started, if its identity was ever recorded; `seen` are those,
 * by their start times, that belonged to it at an earlier look.
 */
export function livingOf(
  mark: string,
  recorded: ProcessIdentity | null,
  seen: ReadonlyMap<number, string> = new Map(),
): ProcessRow[] {
  // After a reboot the pid is a stranger's, whatever its start time.
  const leader = recorded?.boot === thisMachine().boot ? recorded : null;
  const table = platform.readTable();
  const all = table.rows;
  // The pid was given to another process: its group and its tree are not ours any more.
  const isReused = all.some((row) => row.pid === leader?.pid && !isStartOf(row, leader));
  const group = leader === null || isReused ? null : leader.pid;
  const carries = (row: ProcessRow): boolean => {
    // A process that is older than the run does not descend from it.
    if (leader !== null && Number(row.startTime) < Number(leader.startTime) - (leader.slack ?? 0)) return false;
    return table.wordsOf(row.pid, MARK_VARIABLE, mark).includes(mark);
  };
  const isOurs = (row: ProcessRow): boolean =>
    row.group === group || row.pid === group || seen.get(row.pid) === row.startTime || carries(row);
  const ours = all.filter(isOurs);
  const pids = new Set(ours.map(({ pid }) => pid));
  for (let size = 0; size < pids.size; ) {
    size = pids.size;
    for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
  }
  return all.filter(({ pid, isDead }) => pids.has(pid) && pid !== process.pid && !isDead);
}

function isStartOf({ startTime }: ProcessRow, leader: ProcessIdentity): boolean {
  if (leader.slack === undefined) return startTime === leader.startTime;
  return Math.abs(Number(startTime) - Number(leader.startTime)) <= leader.slack;
}

/** Does the process group have a living member? Its number may have been reused, so this is for display only. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to another user.
    if (errnoOf(error) === 'ESRCH') return false;
  }
  // Zombies take signals, too.
  return platform.readTable().rows.some((row) => row.group === group && !row.isDead);
}
