/** Process identity from ps and sysctl, where there is no /proc. */
import { hostname } from 'node:os';
import type { Instant } from '../../core/time.ts';
import type { MachineIdentity } from './identity.ts';

export function thisMachine(): MachineIdentity {
  return { machine: hostname(), boot: ask('sysctl', ['-n', 'kern.boottime']) ?? 'unknown', pidNamespace: 'host' };
}

export function ownPid(): number {
  return process.pid;
}

export function startTimeOf(pid: number): string | null {
  const line = ask('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  if (line === null || line === '' || line.startsWith('Z')) return null;
  return line.slice(line.indexOf(' ')).trim();
}

/** `ps` tells the time itself, by the clock on the wall. */
export function instantOf(startTime: string): Instant {
  return Date.parse(startTime);
}

export function bootedAt(): Instant | null {
  const seconds = /\bsec = (\d+)/.exec(ask('sysctl', ['-n', 'kern.boottime']) ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

function ask(command: string, args: readonly string[]): string | null {
  // Loaded here and not above: hooks hold this file too, and on Linux they must not pay for what they never call.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // ps exits 1 for a pid that is gone: that is the answer.
    return null;
  }
}
