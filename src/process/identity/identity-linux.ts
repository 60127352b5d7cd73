/** Processes as /proc shows them. */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { errnoOf } from '../../core/error.ts';
import type { Instant } from '../../core/time.ts';
import { nullOn, readShort } from '../files.ts';
import type { MachineIdentity, ProcessIdentity } from './identity.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';

/** Linux tells user space of hundredths of a second, whatever it counts itself. */
const TICK_MS = 10;
/** 52 numbers and a name of 64 characters at most. */
const LONGEST_ROW = 2048;
/** Said of a process that is gone, or that belongs to another user. */
const UNSEEN = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];
/** The kernel's own number of the pid namespace that all others lie in. */
const INITIAL_NAMESPACE = 'pid:[4026531836]';

export function thisMachine(): MachineIdentity {
  return {
    machine: readFirstLine('/etc/machine-id') || hostname(),
    boot: readFirstLine('/proc/sys/kernel/random/boot_id') || 'unknown',
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
  };
}

/** As /proc numbers us: in a sandbox within a container it may be that of the namespace around ours. */
export function ownPid(): number {
  return Number(readlinkSync('/proc/self'));
}

export function startTimeOf(pid: number): string | null {
  const row = readRow(pid);
  return row === null || row.isDead ? null : row.startTime;
}

/** Also of one that has ended, as long as it is not reaped. */
export function childStartTime(pid: number): string | null {
  return readRow(pid)?.startTime ?? null;
}

/** It is read in no time. */
export function presumedStart(): null {
  return null;
}

/** Ours is known by the clock and from the boot; what /proc says of the boot's own time some containers make up. */
export function instantOf(startTime: string): Instant {
  const own = readRow(ownPid())?.startTime ?? startTime;
  return performance.timeOrigin + (Number(startTime) - Number(own)) * TICK_MS;
}

export function bootedAt(): Instant {
  return instantOf('0');
}

/** One process's line in /proc, or null when it is gone. */
export function readRow(pid: number, room = Buffer.allocUnsafe(LONGEST_ROW)): ProcessRow | null {
  const text = nullOn(UNSEEN, () => readShort(`/proc/${pid}/stat`, room));
  if (text === null) return null;
  // The command's name stands in parentheses and may itself hold parentheses and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  return { pid, parent: Number(parent), group: Number(group), startTime, isDead: state === 'Z' || state === 'X' };
}

export function readTable(): ProcessTable {
  // One piece of memory for all rows: a table is read after every run, and what it leaves behind makes each start slower.
  const room = Buffer.allocUnsafe(LONGEST_ROW);
  return { rows: allPids().flatMap((pid) => readRow(pid, room) ?? []), wordsOf };
}

/** The number that the newest process was given: the last word of "0.20 0.18 0.12 1/80 11206". */
export function lastPid(): number | null {
  const pid = Number(readFirstLine('/proc/loadavg').split(' ').at(-1));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** More than any machine starts. */
const MOST_STARTS_PER_MS = 30;
/** Beyond so many numbers the whole table is not much longer. */
const MOST_NUMBERS = 200;

/**
 * The processes with the leader's number and those above it, up to the last one. Numbers go up until none is left, and then
 * begin again: as long as that cannot have happened, whatever descends from the leader is among these. Null where it may be
 * elsewhere, or where they are many.
 */
export function readTableFrom({ pid, startTime }: ProcessIdentity, last: number): ProcessTable | null {
  const ageMs = uptime() * 1000 - Number(startTime) * TICK_MS;
  const areAbove = last >= pid && last - pid < MOST_NUMBERS;
  if (!areAbove || ageMs < -TICK_MS || ageMs * MOST_STARTS_PER_MS > mostPids()) return null;
  const room = Buffer.allocUnsafe(LONGEST_ROW);
  const numbers = Array.from({ length: last - pid + 1 }, (_, index) => pid + index);
  // Most are free again, which an error would tell at ten times the cost.
  const pids = numbers.filter((number) => existsSync(`/proc/${number}`));
  return { rows: pids.flatMap((each) => readRow(each, room) ?? []), wordsOf };
}

function mostPids(): number {
  return Number(readFirstLine('/proc/sys/kernel/pid_max')) || 0;
}

/** A process's environment is one `NAME=value` after the other, each with a NUL behind it. */
function wordsOf(pid: number, variable: string): string[] | null {
  const environment = readGone(`/proc/${pid}/environ`);
  if (environment === '') return null;
  const words = environment?.split('\0').find((entry) => entry.startsWith(`${variable}=`));
  return words?.slice(variable.length + 1).split(' ') ?? [];
}

/** True only where it is certain: every process is seen, and none of `uid` is there whose namespace we may not know. */
export function isNamespaceEmpty(isMeant: (namespace: string) => boolean, uid: number): boolean {
  if (process.platform !== 'linux' || readlinkSync('/proc/self/ns/pid') !== INITIAL_NAMESPACE) return false;
  return allPids().every((pid) => {
    const namespace = namespaceOf(pid);
    if (namespace !== null) return !isMeant(namespace);
    // A process of a namespace below has a number here and one there; everybody may read that.
    const isInOurs = /^NSpid:\s*\d+$/m.test(readGone(`/proc/${pid}/status`) ?? '');
    return isInOurs || statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid !== uid;
  });
}

/** Null when it may not be read; empty for a process that is gone or a zombie. */
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

/** A file of a process that may vanish while it is read. */
function readGone(path: string): string | null {
  return nullOn(UNSEEN, () => readFileSync(path, 'latin1'));
}

function readFirstLine(path: string): string {
  return nullOn(UNSEEN, () => readShort(path))?.split('\n', 1)[0] ?? '';
}
