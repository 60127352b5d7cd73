/** Processes as /proc shows them. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { errnoOf } from '../../core/error.ts';
import type { Instant } from '../../core/time.ts';
import { nullOn } from '../files.ts';
import type { MachineIdentity } from './identity.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';

/** Linux tells user space of hundredths of a second, whatever it counts itself. */
const TICK_MS = 10;
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
export function readRow(pid: number): ProcessRow | null {
  const text = readGone(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The command's name stands in parentheses and may itself hold parentheses and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  return { pid, parent: Number(parent), group: Number(group), startTime, isDead: state === 'Z' || state === 'X' };
}

export function readTable(): ProcessTable {
  return { rows: allPids().flatMap((pid) => readRow(pid) ?? []), wordsOf };
}

/** A process's environment is one `NAME=value` after the other, each with a NUL behind it. */
function wordsOf(pid: number, variable: string): string[] {
  const entries = readGone(`/proc/${pid}/environ`)?.split('\0') ?? [];
  const words = entries.find((entry) => entry.startsWith(`${variable}=`));
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
  return nullOn(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'], () => readFileSync(path, 'latin1'));
}

function readFirstLine(path: string): string {
  return readGone(path)?.split('\n', 1)[0] ?? '';
}
