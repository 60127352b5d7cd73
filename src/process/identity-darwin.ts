/** Process identity from ps and sysctl, where there is no /proc. */
import { execFileSync } from 'node:child_process';
import { hostname } from 'node:os';
import type { Place } from './identity.ts';

export function thisPlace(): Place {
  return { machine: hostname(), boot: ask('sysctl', ['-n', 'kern.boottime']) ?? 'unknown', pidNamespace: 'host' };
}

export function startTimeOf(pid: number): string | null {
  const line = ask('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  if (line === null || line === '' || line.startsWith('Z')) return null;
  return line.slice(line.indexOf(' ')).trim();
}

function ask(command: string, args: readonly string[]): string | null {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // ps exits 1 for a pid that is gone: that is the answer.
    return null;
  }
}
