/**
 * Does a run still go on? By its run-info and the process table. A pid that was given to somebody else since makes an
 * ended run look alive: that keeps a folder too long, never removes one too early. Nothing is ever ended by this.
 */
import { identify, thisPlace } from '../../process/identity.ts';
import { isGroupAlive } from '../../process/process-table.ts';
import type { RunInfo } from './run-info.ts';

export function isRunActive(info: RunInfo): boolean {
  return info.status === 'running' && info.endTime === null && isProcessAlive(info);
}

/** A run without any number yet is about to start. Its supervisor may still be ending what an agent left behind. */
function isProcessAlive({ pid, pgid, supervisorPid = 0 }: RunInfo): boolean {
  if (pid <= 0 && pgid <= 0) return true;
  return (
    [pid, supervisorPid].some((one) => one > 0 && identify(one, thisPlace()) !== null) ||
    (pgid > 0 && isGroupAlive(pgid))
  );
}

/** Its agent goes on, and whoever saw to it does not: nobody will tell its end. */
export function isOrphaned(info: RunInfo): boolean {
  const { supervisorPid = 0 } = info;
  return supervisorPid > 0 && identify(supervisorPid, thisPlace()) === null && isRunActive(info);
}
