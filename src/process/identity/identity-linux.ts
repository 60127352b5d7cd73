/** Process identity from /proc. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errnoOf } from '../../core/error.ts';
import type { Instant } from '../../core/time.ts';
import type { MachineIdentity } from './identity.ts';
import type { ProcessRow } from './process-table.ts';

/** Linux tells user space of hundredths of a second, whatever it counts itself. */
const TICK_MS = 10;

export function thisMachine(): MachineIdentity {
  return {
    machine: readFirstLine('/etc/machine-id') ?? hostname(),
    boot: readFirstLine('/proc/sys/kernel/random/boot_id') ?? 'unknown',
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
  };
}

/**
 * As /proc numbers us. In a sandbox within a container /proc may be that of the namespace around ours, where we have
 * another number than we know of.
 */
export function ownPid(): number {
  return Number(readlinkSync('/proc/self'));
}

export function startTimeOf(pid: number): string | null {
  const row = readRow(pid);
  return row === null || row.isDead ? null : row.startTime;
}

/**
 * Start times are counted from the boot. Ours is known by both clocks; what /proc says of the boot's own time is made up in
 * some containers.
 */
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

/** A file of a process that may vanish while it is read. */
export function readGone(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return null;
    throw error;
  }
}

function readFirstLine(path: string): string | null {
  const line = readGone(path)?.split('\n', 1)[0];
  return line === undefined || line === '' ? null : line;
}
