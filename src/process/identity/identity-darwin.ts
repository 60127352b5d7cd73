/** Processes as ps, sysctl and ioreg show them, for systems without /proc. */
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

// By absolute paths, which macOS protects: the first `ps` on a PATH may be a different one, or an agent's.
const PS = '/bin/ps';
const SYSCTL = '/usr/sbin/sysctl';
const IOREG = '/usr/sbin/ioreg';
/** Room for the environments of hundreds of processes. */
const LARGEST = 64 * 1024 * 1024;
/** Used as start time (or boot) where these programs must not be run. */
const NOT_SEEN = 'not seen';

/**
 * A Mac's name changes with its network and its boot time with its clock; these do not. In a sandbox that blocks
 * sysctl, it counts as a machine of its own: what is locked there is never taken for abandoned outside.
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

/** macOS does not assign pids in order. */
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
    /** Text in a command line is not environment: asking for the command line alone tells the two apart. */
    wordsOf(pid, variable, wanted) {
      const { shown = '' } = byPid.get(pid) ?? {};
      if (!shown.includes(`${variable}=`) || !shown.includes(wanted)) return [];
      const commandLine = parseCommandLines(ask(PS, [...COMMAND_LINES, String(pid)]) ?? '').get(pid);
      return commandLine === undefined ? [] : wordsOfVariable(shown, commandLine, variable);
    },
  };
}

/** The CPU time of each; processes that have ended are missing. */
export function cpuTimesOf(pids: readonly number[]): ReadonlyMap<number, Duration> {
  return parseCpuTimes(ask(PS, [...CPU_TIMES, pids.join(',')]) ?? '');
}

/** In a sandbox, macOS does not let programs run that have more rights than their caller, and ps is one. */
function startTimeUnseen(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return null;
  }
  return NOT_SEEN;
}

/**
 * In a group of its own: a Ctrl-C in the terminal would end it, too, and no output would mean that all processes are
 * gone. The Ctrl-C can still come before the group exists.
 */
const OUT_OF_REACH = { detached: true };
const TRIES = 5;

/** The output, whatever the exit code: ps exits with 1 if a pid is gone. Null if the program must not be run. */
function ask(program: string, args: readonly string[]): string | null {
  // Loaded here and not above: hooks contain this file, too, and on Linux they must not pay for what they never call.
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
    // Not "gone": a machine that can start no more processes would lose its locks.
    throw new RalphError('PS', `${program} cannot be run: ${signal ?? reasonOf(error)}`);
  }
}
