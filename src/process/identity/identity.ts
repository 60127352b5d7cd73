/** Names a process by pid, start time and boot: a pid alone is reused. Synchronous, because hooks use it. */
import type { Instant } from '../../core/time.ts';
import * as darwin from './identity-darwin.ts';
import * as linux from './identity-linux.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** In the platform's own unit; only ever compared for equality. */
  readonly startTime: string;
  readonly boot: string;
  /** How far off the start time may be, where it was not read but presumed. */
  readonly slack?: number;
}

/** Where a pid means anything: a machine, one boot of it, one pid namespace. */
export interface MachineIdentity {
  readonly machine: string;
  readonly boot: string;
  readonly pidNamespace: string;
}

const platform = process.platform === 'darwin' ? darwin : linux;

/** When this machine started, by the clock on the wall; null when it does not say. */
export const bootedAt = (): Instant | null => platform.bootedAt();

let known: MachineIdentity | null = null;

/** Read once: it is the same for as long as a process lives. */
export function thisMachine(): MachineIdentity {
  known ??= platform.thisMachine();
  return known;
}

/** By the clock on the wall; null when it is gone. Clocks are set: only minutes apart it is another process. */
export function startedAt(pid: number): Instant | null {
  const startTime = platform.startTimeOf(pid);
  return startTime === null ? null : platform.instantOf(startTime);
}

/** The identity of a living process, or null: a zombie is not living. */
export function identify(pid: number): ProcessIdentity | null {
  const startTime = platform.startTimeOf(pid);
  return startTime === null ? null : { pid, startTime, boot: thisMachine().boot };
}

/** Of a child that is not reaped yet: whatever it left behind is found by it, also when it has ended already. */
export function identifyChild(pid: number): ProcessIdentity | null {
  const startTime = platform.childStartTime(pid);
  return startTime === null ? null : { pid, startTime, boot: thisMachine().boot };
}

/**
 * Of a process that we have started just now, where asking for it takes so long that we may die meanwhile: nothing on disk
 * would lead to it. Null where it does not.
 */
export function presumedIdentity(pid: number): ProcessIdentity | null {
  const start = platform.presumedStart();
  return start === null ? null : { pid, ...start, boot: thisMachine().boot };
}

/** This process's own, by the number under which others find it. */
export function ownIdentity(): ProcessIdentity {
  const self = identify(platform.ownPid());
  if (self === null) throw new Error('this process does not find itself');
  return self;
}

/** False where processes are listed by other numbers than the ones that we start and end them by. */
export function isListedAsKnown(): boolean {
  return platform.ownPid() === process.pid;
}

export function isRunning(identity: ProcessIdentity, { boot } = thisMachine()): boolean {
  return identity.boot === boot && platform.startTimeOf(identity.pid) === identity.startTime;
}
