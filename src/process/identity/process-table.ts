/** The processes of a run as the process table shows them: its group, its tree, and those that carry its mark. */
import { errnoOf } from '../../core/error.ts';
import { type ProcessIdentity, thisMachine } from './identity.ts';
import * as darwin from './identity-darwin.ts';
import * as linux from './identity-linux.ts';

const platform = process.platform === 'darwin' ? darwin : linux;

/** The marks of all runs that a process descends from, so that a loop inside a loop still belongs to the outer one. */
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
  /**
   * The words of a variable in the environment that a process was started with; empty if `wanted` is not among them.
   * Null if the process shows no environment at all, as during an exec.
   */
  wordsOf(pid: number, variable: string, wanted: string): readonly string[] | null;
}

/** The living processes of a run, and whether these are certainly all. */
export interface Look {
  readonly living: readonly ProcessRow[];
  /** Nothing was started during the look, and every process that may belong to the run showed its environment. */
  readonly isCertain: boolean;
}

export const readTable = (): ProcessTable => platform.readTable();

export function livingOf(mark: string, recorded: ProcessIdentity | null): readonly ProcessRow[] {
  return lookFor(mark, recorded).living;
}

/**
 * `recorded` is the process we started, if its identity was recorded; `seen` maps the pids that belonged to the run at
 * an earlier look to their start times.
 */
export function lookFor(
  mark: string,
  recorded: ProcessIdentity | null,
  seen: ReadonlyMap<number, string> = new Map(),
): Look {
  // After a reboot the pid belongs to a different process, whatever its start time.
  const leader = recorded?.boot === thisMachine().boot ? recorded : null;
  const look = (before: number | null, table: ProcessTable): Look => {
    const { living, isHidden } = livingIn(table, { mark, leader, seen });
    // Pids go up: if the last one is below the run's first, they have started over, or a container fakes them.
    const isUndisturbed = before !== null && leader !== null && before >= leader.pid && platform.lastPid() === before;
    return { living, isCertain: isUndisturbed && !isHidden };
  };
  const quick = leader === null ? null : lookAtYoungest(leader, look);
  // Some of the youngest may be threads: processes of the run are only taken from the whole table.
  return quick?.living.length === 0 ? quick : look(platform.lastPid(), platform.readTable());
}

/** On a busy machine, other programs start something during many a look. */
const QUICK_LOOKS = 3;

/** Null if processes other than the youngest may belong to the run. */
function lookAtYoungest(
  leader: ProcessIdentity,
  look: (before: number | null, table: ProcessTable) => Look,
): Look | null {
  for (let tries = 1; ; tries++) {
    const last = platform.lastPid();
    const youngest = last === null ? null : platform.readTableFrom(leader, last);
    if (youngest === null) return null;
    const found = look(last, youngest);
    if (found.isCertain || found.living.length > 0 || tries === QUICK_LOOKS) return found;
  }
}

interface Sought {
  readonly mark: string;
  readonly leader: ProcessIdentity | null;
  readonly seen: ReadonlyMap<number, string>;
}

function livingIn(table: ProcessTable, { mark, leader, seen }: Sought) {
  const all = table.rows;
  let isHidden = false;
  // The pid was given to another process: its group and tree are not ours any more.
  const isReused = all.some((row) => row.pid === leader?.pid && !isStartOf(row, leader));
  const group = leader === null || isReused ? null : leader.pid;
  const carries = (row: ProcessRow): boolean => {
    // A process older than the run does not descend from it.
    if (leader !== null && Number(row.startTime) < Number(leader.startTime) - (leader.slack ?? 0)) return false;
    if (row.isDead) return false;
    const words = table.wordsOf(row.pid, MARK_VARIABLE, mark);
    isHidden ||= words === null;
    return words?.includes(mark) === true;
  };
  const isOurs = (row: ProcessRow): boolean =>
    row.group === group || row.pid === group || seen.get(row.pid) === row.startTime || carries(row);
  const ours = all.filter(isOurs);
  const pids = new Set(ours.map(({ pid }) => pid));
  for (let size = 0; size < pids.size; ) {
    size = pids.size;
    for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
  }
  const living = all.filter(({ pid, isDead }) => pids.has(pid) && pid !== process.pid && !isDead);
  return { living, isHidden };
}

function isStartOf({ startTime }: ProcessRow, leader: ProcessIdentity): boolean {
  if (leader.slack === undefined) return startTime === leader.startTime;
  return Math.abs(Number(startTime) - Number(leader.startTime)) <= leader.slack;
}

/** Whether the process group has a living member. The number may have been reused, so this is for display only. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    // EPERM: it is alive, and belongs to another user.
    if (errnoOf(error) === 'ESRCH') return false;
  }
  // Signals reach zombies, too.
  return platform.readTable().rows.some((row) => row.group === group && !row.isDead);
}
