/** Processes as /proc shows them. */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { errnoOf } from '../../core/error.ts';
import type { Instant } from '../../core/time.ts';
import { nullOn, readShort } from '../files.ts';
import type { MachineIdentity, ProcessIdentity } from './identity.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';

/** Linux reports times to user space in hundredths of a second, whatever the kernel counts in. */
const TICK_MS = 10;
/** 52 numbers, and a name of at most 64 characters. */
const LONGEST_ROW = 2048;
/** Errors for a process that is gone, or that belongs to another user. */
const UNSEEN = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];
/** The kernel's fixed number for the initial pid namespace. */
const INITIAL_NAMESPACE = 'pid:[4026531836]';

export function thisMachine(): MachineIdentity {
  return {
    machine: readFirstLine('/etc/machine-id') || hostname(),
    boot: readFirstLine('/proc/sys/kernel/random/boot_id') || 'unknown',
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
  };
}

/** Our pid as /proc numbers it: in a sandbox within a container, that can be the outer namespace's number. */
export function ownPid(): number {
  return Number(readlinkSync('/proc/self'));
}

export function startTimeOf(pid: number): string | null {
  const row = readRow(pid);
  return row === null || row.isDead ? null : row.startTime;
}

/** Works for a child that has ended, too, until it is reaped. */
export function childStartTime(pid: number): string | null {
  return readRow(pid)?.startTime ?? null;
}

/** Not needed: the real start time is read in no time. */
export function presumedStart(): null {
  return null;
}

/** Relative to our own start, whose clock time and ticks we know: some containers fake the boot time in /proc. */
export function instantOf(startTime: string): Instant {
  const own = readRow(ownPid())?.startTime ?? startTime;
  return performance.timeOrigin + (Number(startTime) - Number(own)) * TICK_MS;
}

export function bootedAt(): Instant {
  return instantOf('0');
}

/** One process's line in /proc; null if it is gone. */
export function readRow(pid: number, room = Buffer.allocUnsafe(LONGEST_ROW)): ProcessRow | null {
  const text = nullOn(UNSEEN, () => readShort(`/proc/${pid}/stat`, room));
  if (text === null) return null;
  // The command's name is in parentheses, and can itself contain parentheses and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  return { pid, parent: Number(parent), group: Number(group), startTime, isDead: state === 'Z' || state === 'X' };
}

export function readTable(): ProcessTable {
  // One buffer for all rows: a table is read after every run, and garbage makes each start slower.
  const room = Buffer.allocUnsafe(LONGEST_ROW);
  return { rows: allPids().flatMap((pid) => readRow(pid, room) ?? []), wordsOf };
}

/** The pid of the newest process: the last word of "0.20 0.18 0.12 1/80 11206". */
export function lastPid(): number | null {
  const pid = Number(readFirstLine('/proc/loadavg').split(' ').at(-1));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** More than any machine starts. */
const MOST_STARTS_PER_MS = 30;
/** With more pids than this, reading the whole table takes hardly longer. */
const MOST_NUMBERS = 200;

/**
 * The processes from the leader's pid up to the last one. Pids go up until none is left, and then start over: as long
 * as that cannot have happened, every descendant of the leader is among these. Null if they may be elsewhere, or are
 * many.
 */
export function readTableFrom({ pid, startTime }: ProcessIdentity, last: number): ProcessTable | null {
  const ageMs = uptime() * 1000 - Number(startTime) * TICK_MS;
  const areAbove = last >= pid && last - pid < MOST_NUMBERS;
  if (!areAbove || ageMs < -TICK_MS || ageMs * MOST_STARTS_PER_MS > mostPids()) return null;
  const room = Buffer.allocUnsafe(LONGEST_ROW);
  const numbers = Array.from({ length: last - pid + 1 }, (_, index) => pid + index);
  // Most of these pids are free again, and an error would cost ten times as much as this check.
  const pids = numbers.filter((number) => existsSync(`/proc/${number}`));
  return { rows: pids.flatMap((each) => readRow(each, room) ?? []), wordsOf };
}

function mostPids(): number {
  return Number(readFirstLine('/proc/sys/kernel/pid_max')) || 0;
}

/** The environment is a list of `NAME=value`, each followed by a NUL. */
function wordsOf(pid: number, variable: string): string[] | null {
  const environment = readGone(`/proc/${pid}/environ`);
  if (environment === '') return null;
  const words = environment?.split('\0').find((entry) => entry.startsWith(`${variable}=`));
  return words?.slice(variable.length + 1).split(' ') ?? [];
}

/** True only if it is certain: every process is visible, and none of `uid` is in a namespace that we cannot see. */
export function isNamespaceEmpty(isMeant: (namespace: string) => boolean, uid: number): boolean {
  if (process.platform !== 'linux' || readlinkSync('/proc/self/ns/pid') !== INITIAL_NAMESPACE) return false;
  return allPids().every((pid) => {
    const namespace = namespaceOf(pid);
    if (namespace !== null) return !isMeant(namespace);
    // A process in a nested namespace has two numbers here, ours and its own; anyone may read that.
    const isInOurs = /^NSpid:\s*\d+$/m.test(readGone(`/proc/${pid}/status`) ?? '');
    return isInOurs || statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid !== uid;
  });
}

/** Null if it must not be read; empty for a process that is gone or a zombie. */
function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch (error) {
    return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ESRCH' ? '' : null;
  }
}

function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** For a file of a process that can vanish while it is read. */
function readGone(path: string): string | null {
  return nullOn(UNSEEN, () => readFileSync(path, 'latin1'));
}

function readFirstLine(path: string): string {
  return nullOn(UNSEEN, () => readShort(path))?.split('\n', 1)[0] ?? '';
}
