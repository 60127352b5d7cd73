/** Processes as ps and sysctl show them, where there is no /proc. */
import { hostname } from 'node:os';
import type { Instant } from '../../core/time.ts';
import type { MachineIdentity } from './identity.ts';
import type { ProcessRow } from './process-table.ts';

export function thisMachine(): MachineIdentity {
  return { machine: hostname(), boot: ask('sysctl', '-n', 'kern.boottime') || 'unknown', pidNamespace: 'host' };
}

export function ownPid(): number {
  return process.pid;
}

export function startTimeOf(pid: number): string | null {
  const line = ask('ps', '-o', 'stat=,lstart=', '-p', String(pid));
  return line === '' || line.startsWith('Z') ? null : line.slice(line.indexOf(' ')).trim();
}

/** `ps` tells the time itself, by the clock on the wall. */
export function instantOf(startTime: string): Instant {
  return Date.parse(startTime);
}

export function bootedAt(): Instant | null {
  const seconds = /\bsec = (\d+)/.exec(ask('sysctl', '-n', 'kern.boottime'))?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

export function readTable(): ProcessRow[] {
  const lines = run('ps', '-axo', 'pid=,ppid=,pgid=,stat=,lstart=').split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, group, state = '', startTime = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) return [];
    const isDead = state.startsWith('Z');
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), startTime: startTime.trim(), isDead }];
  });
}

/** Not to be had without /proc: the group and the tree have to do. */
export function environmentOf(_pid: number): string | null {
  return null;
}

function ask(command: string, ...args: string[]): string {
  try {
    return run(command, ...args).trim();
  } catch {
    // ps exits 1 for a pid that is gone: that is the answer.
    return '';
  }
}

function run(command: string, ...args: string[]): string {
  // Loaded here and not above: hooks hold this file too, and on Linux they must not pay for what they never call.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
