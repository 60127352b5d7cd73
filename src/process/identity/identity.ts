/** Identifies a process by pid, start time and boot: a pid alone is reused. Synchronous, because hooks use it. */
import type { Instant } from '../../core/time.ts';
import * as darwin from './identity-darwin.ts';
import * as linux from './identity-linux.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** A number in the platform's own unit. */
  readonly startTime: string;
  readonly boot: string;
  /** How far off the start time can be, if it was presumed and not read. */
  readonly slack?: number;
}

/** The scope in which a pid means anything: a machine, one boot of it, one pid namespace. */
export interface MachineIdentity {
  readonly machine: string;
  readonly boot: string;
  readonly pidNamespace: string;
}

const platform = process.platform === 'darwin' ? darwin : linux;

/** When this machine booted, in wall-clock time; null if the system does not say. */
export const bootedAt = (): Instant | null => platform.bootedAt();

let known: MachineIdentity | null = null;

/** Read once: it does not change while a process lives. */
export function thisMachine(): MachineIdentity {
  known ??= platform.thisMachine();
  return known;
}

/** In wall-clock time; null if the process is gone. Clocks get set: only minutes of difference mean another process. */
export function startedAt(pid: number): Instant | null {
  const startTime = platform.startTimeOf(pid);
  return startTime === null ? null : platform.instantOf(startTime);
}

/** Null if the process is gone, or a zombie. */
export function identify(pid: number): ProcessIdentity | null {
  const startTime = platform.startTimeOf(pid);
  return startTime === null ? null : { pid, startTime, boot: thisMachine().boot };
}

/** For a child that is not reaped yet, even if it has ended: what it left behind is found by this identity. */
export function identifyChild(pid: number): ProcessIdentity | null {
  const startTime = platform.childStartTime(pid);
  return startTime === null ? null : { pid, startTime, boot: thisMachine().boot };
}

/**
 * For a process that we have only just started, if reading its start time takes so long that we may die before we know
 * it, with nothing on disk that leads to the process. Null if reading is fast.
 */
export function presumedIdentity(pid: number): ProcessIdentity | null {
  const start = platform.presumedStart();
  return start === null ? null : { pid, ...start, boot: thisMachine().boot };
}

/** This process's own, by the pid under which others find it. */
export function ownIdentity(): ProcessIdentity {
  const self = identify(platform.ownPid());
  if (self === null) throw new Error('this process does not find itself');
  return self;
}

/** False if processes are listed under other pids than those by which we start and end them. */
export function isListedAsKnown(): boolean {
  return platform.ownPid() === process.pid;
}

export function isRunning(identity: ProcessIdentity, { boot } = thisMachine()): boolean {
  return identity.boot === boot && platform.startTimeOf(identity.pid) === identity.startTime;
}
