/** When this process began and how long it runs. (`performance` would load a module for it, 2 ms of every call.) */
import { readFileSync } from 'node:fs';
import type { Duration, Instant } from '../../core/time.ts';
import type { BootMoment } from '../../loops/session/work.ts';
import { ownPid, readRow } from '../../process/identity/identity-linux.ts';

/** Start times are told in hundredths of a second, cut off. */
const TICK_MS = 10;

export function startedAt(): Instant {
  return Date.now() - runningFor();
}

export function runningFor(): Duration {
  return process.uptime() * 1000;
}

export function bootMoment(boot: string): BootMoment {
  return { boot, ms: Math.floor(linuxUptime() ?? Number(process.hrtime.bigint() / 1_000_000n)) };
}

/**
 * Was this process there at that moment? Linux tells when it was forked: the `sh` in front of node is the same process, so
 * its time counts as well. What cannot be told is no.
 */
export function wasRunningAt(moment: BootMoment, boot: string): boolean {
  if (moment.boot !== boot) return false;
  const forked = linuxUptime() === null ? null : readRow(ownPid())?.startTime;
  const began = forked == null ? bootMoment(boot).ms - runningFor() : Number(forked) * TICK_MS + TICK_MS;
  return began <= moment.ms;
}

function linuxUptime(): Duration | null {
  try {
    return Number(readFileSync('/proc/uptime', 'latin1').split(' ', 1)[0]) * 1000;
  } catch {
    // Another system, whose steady clock counts from its boot as well.
    return null;
  }
}
