/**
 * Names a process so that the name outlives it: pid, start time and boot. A pid alone is reused; the three together
 * are not. Synchronous, because hooks use it.
 */
import * as darwin from './identity-darwin.ts';
import * as linux from './identity-linux.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** In the platform's own unit; only ever compared for equality. */
  readonly startTime: string;
  readonly boot: string;
}

/** Where a pid means anything: a machine, one boot of it, one pid namespace. */
export interface Place {
  readonly machine: string;
  readonly boot: string;
  readonly pidNamespace: string;
}

const platform = process.platform === 'darwin' ? darwin : linux;

export function thisPlace(): Place {
  return platform.thisPlace();
}

/** The identity of a living process, or null: a zombie is not living. */
export function identify(pid: number, place: Place): ProcessIdentity | null {
  const startTime = platform.startTimeOf(pid);
  return startTime === null ? null : { pid, startTime, boot: place.boot };
}

export function isRunning(identity: ProcessIdentity, place: Place): boolean {
  return identity.boot === place.boot && platform.startTimeOf(identity.pid) === identity.startTime;
}
