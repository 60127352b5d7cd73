/** Process identity from ps and sysctl, where there is no /proc. */
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
  // Loaded here and not above: hooks hold this file too, and on Linux they must not pay for what they never call.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // ps exits 1 for a pid that is gone: that is the answer.
    return null;
  }
}
