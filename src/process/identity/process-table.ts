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
  /**
   * The words of a variable in the environment that a process was started with; none, where `wanted` is not among them. Null
   * where the process shows no environment at all, as one that is being replaced (exec) does for a moment.
   */
  wordsOf(pid: number, variable: string, wanted: string): readonly string[] | null;
}

/** The living processes of a run, and whether that can be all of them. */
export interface Look {
  readonly living: readonly ProcessRow[];
  /** Nothing was started while the table was read, and every process that may belong to the run showed its environment. */
  readonly isCertain: boolean;
}

export const readTable = (): ProcessTable => platform.readTable();

export function livingOf(mark: string, recorded: ProcessIdentity | null): readonly ProcessRow[] {
  return lookFor(mark, recorded).living;
}

/**
 * `recorded` is the process we started, if its identity was ever recorded; `seen` are those, by their start times, that
 * belonged to the run at an earlier look.
 */
export function lookFor(
  mark: string,
  recorded: ProcessIdentity | null,
  seen: ReadonlyMap<number, string> = new Map(),
): Look {
  // After a reboot the pid is a stranger's, whatever its start time.
  const leader = recorded?.boot === thisMachine().boot ? recorded : null;
  const look = (before: number | null, table: ProcessTable): Look => {
    const { living, isHidden } = livingIn(table, { mark, leader, seen });
    // Numbers go up: where the last one is below the run's first, they began again, or a container makes them up.
    const isUndisturbed = before !== null && leader !== null && before >= leader.pid && platform.lastPid() === before;
    return { living, isCertain: isUndisturbed && !isHidden };
  };
  const quick = leader === null ? null : lookAtYoungest(leader, look);
  // Of the youngest, some may be threads: what belongs to the run is named by the whole table.
  return quick?.living.length === 0 ? quick : look(platform.lastPid(), platform.readTable());
}

/** On a busy machine something is started during many a look. */
const QUICK_LOOKS = 3;

/** Null where others than the youngest may belong to the run. */
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
  // The pid was given to another process: its group and its tree are not ours any more.
  const isReused = all.some((row) => row.pid === leader?.pid && !isStartOf(row, leader));
  const group = leader === null || isReused ? null : leader.pid;
  const carries = (row: ProcessRow): boolean => {
    // A process that is older than the run does not descend from it.
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
