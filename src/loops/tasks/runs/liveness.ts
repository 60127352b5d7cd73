/**
 * Does a run, or a task's loop, still go on? Of a run by its run-info and the process table. Pids are used again: a process
 * that began well after the run is another one, as all are after a reboot. Where that is not certain the run counts as
 * alive: that keeps a folder too long, never removes one too early. Nothing is ever ended by this.
 */
import type { Instant } from '../../../core/time.ts';
import { realPathOr } from '../../../process/files.ts';
import { bootedAt, startedAt, thisMachine } from '../../../process/identity/identity.ts';
import { isGroupAlive } from '../../../process/identity/process-table.ts';
import { isLocked } from '../../../state/lock.ts';
import { type StateRoot, workTreeLock } from '../../../state/paths.ts';
import type { RunInfo } from './run-info.ts';

/** An agent is started within that time after its run began, also where the clock was set a little meanwhile. */
const STARTED_WITHIN_MS = 10 * 60_000;
/** What the clock at boot may be behind. */
const BOOT_UNSURE_MS = 60_000;

export function isRunActive(info: RunInfo): boolean {
  return info.status === 'running' && info.endTime === null && isProcessAlive(info);
}

/** Its agent goes on without its supervisor: nothing will report its end. */
export function isOrphaned(info: RunInfo): boolean {
  const { supervisorPid = 0, startTime } = info;
  return supervisorPid > 0 && lifeOf(supervisorPid, startTime) !== 'its own' && isRunActive(info);
}

/** A run without any number yet is about to start. Its supervisor may still be ending what an agent left behind. */
function isProcessAlive({ pid, pgid, supervisorPid = 0, startTime }: RunInfo): boolean {
  if (startTime < (bootedAt() ?? 0) - BOOT_UNSURE_MS) return false;
  if (pid <= 0 && pgid <= 0) return true;
  if ([pid, supervisorPid].some((one) => one > 0 && lifeOf(one, startTime) === 'its own')) return true;
  // The kernel gives no number again that a group still has: a group whose leader is gone is the one that we mean.
  return pgid > 0 && lifeOf(pgid, startTime) !== "another's" && isGroupAlive(pgid);
}

function lifeOf(pid: number, runStarted: Instant): 'its own' | "another's" | 'gone' {
  const began = startedAt(pid);
  if (began === null) return 'gone';
  return began > runStarted + STARTED_WITHIN_MS ? "another's" : 'its own';
}

/**
 * Is a task's loop being turned? Also between two runs, when none of its agents lives. The loop may know the folder by its
 * real name where we came by a link, or the other way round.
 */
export function isLooping(folder: string, root: StateRoot): boolean {
  const place = thisMachine();
  return [folder, realPathOr(folder)].some((path) => isLocked(workTreeLock(root, path), place));
}
