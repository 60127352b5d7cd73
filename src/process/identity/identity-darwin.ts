/** Processes as ps, sysctl and ioreg show them, where there is no /proc. */
import { hostname } from 'node:os';
import { errnoOf, RalphError } from '../../core/error.ts';
import { reasonOf } from '../../core/system-fault.ts';
import type { Duration, Instant } from '../../core/time.ts';
import {
  ALL_PROCESSES,
  COMMAND_LINES,
  CPU_TIMES,
  ONE_PROCESS,
  PS_ENVIRONMENT,
  parseBootSession,
  parseBootTime,
  parseCommandLines,
  parseCpuTimes,
  parsePlatformUuid,
  parseStartTime,
  parseTable,
  wordsOfVariable,
} from './darwin-output.ts';
import type { MachineIdentity } from './identity.ts';
import type { ProcessTable } from './process-table.ts';

// By their paths, which macOS itself guards: what is first on a PATH may be another ps, or an agent's.
const PS = '/bin/ps';
const SYSCTL = '/usr/sbin/sysctl';
const IOREG = '/usr/sbin/ioreg';
/** Environments of hundreds of processes. */
const LARGEST = 64 * 1024 * 1024;
/** All that is known of the start of a process where ps must not be run. */
const NOT_SEEN = 'not seen';

/**
 * A Mac's name changes with its network and its boot time with its clock; these do not. In a sandbox, where sysctl does not
 * tell, it is a machine of its own: what is locked there is never taken for abandoned outside.
 */
export function thisMachine(): MachineIdentity {
  const session = parseBootSession(ask(SYSCTL, ['-n', 'kern.bootsessionuuid']) ?? '');
  if (session === null) return { machine: hostname(), boot: NOT_SEEN, pidNamespace: 'sandbox' };
  const uuid = parsePlatformUuid(ask(IOREG, ['-rd1', '-c', 'IOPlatformExpertDevice']) ?? '');
  return { machine: uuid ?? hostname(), boot: session, pidNamespace: 'host' };
}

export function ownPid(): number {
  return process.pid;
}

/** In seconds, as text. */
export function startTimeOf(pid: number): string | null {
  const line = ask(PS, [...ONE_PROCESS, String(pid)]);
  return line === null ? startTimeUnseen(pid) : parseStartTime(line);
}

export function childStartTime(pid: number): string | null {
  return startTimeOf(pid);
}

export function presumedStart(): { readonly startTime: string; readonly slack: number } {
  return { startTime: String(Math.floor(Date.now() / 1000)), slack: 1 };
}

export function instantOf(startTime: string): Instant {
  return Number(startTime) * 1000;
}

export function bootedAt(): Instant | null {
  return parseBootTime(ask(SYSCTL, ['-n', 'kern.boottime']) ?? '');
}

/** macOS gives numbers out of order. */
export function lastPid(): null {
  return null;
}

export function readTableFrom(): null {
  return null;
}

export function readTable(): ProcessTable {
  const text = ask(PS, ALL_PROCESSES);
  if (text === null) throw new RalphError('PS', `${PS} must not be run here`, { hint: 'Run it outside of a sandbox.' });
  const rows = parseTable(text);
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  return {
    rows,
    /** What stands in a command line is no environment: the two are told apart by asking for the command line alone. */
    wordsOf(pid, variable, wanted) {
      const { shown = '' } = byPid.get(pid) ?? {};
      if (!shown.includes(`${variable}=`) || !shown.includes(wanted)) return [];
      const commandLine = parseCommandLines(ask(PS, [...COMMAND_LINES, String(pid)]) ?? '').get(pid);
      return commandLine === undefined ? [] : wordsOfVariable(shown, commandLine, variable);
    },
  };
}

/** What each of them has used; none for those that have ended. */
export function cpuTimesOf(pids: readonly number[]): ReadonlyMap<number, Duration> {
  return parseCpuTimes(ask(PS, [...CPU_TIMES, pids.join(',')]) ?? '');
}

/** macOS lets no program with more rights than its caller be run in a sandbox, and ps is one. */
function startTimeUnseen(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return null;
  }
  return NOT_SEEN;
}

/**
 * In a group of its own: a Ctrl-C in the terminal would end it too, and its silence would mean that all are gone. It may
 * come before there is that group.
 */
const OUT_OF_REACH = { detached: true };
const TRIES = 5;

/** What it prints, whatever it exits with: ps says by 1 that a pid is gone. Null where it must not be run. */
function ask(program: string, args: readonly string[]): string | null {
  // Loaded here and not above: hooks hold this file too, and on Linux they must not pay for what they never call.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  for (let tries = 1; ; tries++) {
    const { error, signal, stdout } = spawnSync(program, args, {
      encoding: 'utf8',
      env: PS_ENVIRONMENT,
      maxBuffer: LARGEST,
      stdio: ['ignore', 'pipe', 'ignore'],
      ...OUT_OF_REACH,
    });
    if (error === undefined && signal === null) return stdout;
    if (['EPERM', 'EACCES'].includes(errnoOf(error) ?? '')) return null;
    if (error === undefined && tries < TRIES) continue;
    // Not "gone": a machine that can start no more processes would have its locks taken away.
    throw new RalphError('PS', `${program} cannot be run: ${signal ?? reasonOf(error)}`);
  }
}
