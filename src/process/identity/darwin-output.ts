/**
 * Parses what macOS' own programs print. `ps` and its keywords: ps(1) of macOS; `kern.boottime` and
 * `kern.bootsessionuuid`: sysctl(8). Recorded outputs of real Macs are in darwin-output.test.ts.
 */
import type { Duration, Instant } from '../../core/time.ts';
import type { ProcessRow } from './process-table.ts';

export interface DarwinRow extends ProcessRow {
  /** The command line and, with `ps -E` and if it is visible, the environment after it. */
  readonly shown: string;
}

/** Each keyword has its own flag: in POSIX, a header (even an empty one) extends to the end of the argument. */
const columns = (...keywords: string[]): string[] => keywords.flatMap((keyword) => ['-o', `${keyword}=`]);

/** One process. */
export const ONE_PROCESS = [...columns('stat', 'lstart'), '-p'];
/** All of them, with their environments, however long those are. */
export const ALL_PROCESSES = ['-axwwE', ...columns('pid', 'ppid', 'pgid', 'stat', 'lstart', 'command')];
/** Command lines of these processes, without environments. */
export const COMMAND_LINES = ['-ww', ...columns('pid', 'command'), '-p'];

/** CPU times of these processes, including children that have ended where ps counts them (-S). */
export const CPU_TIMES = ['-S', ...columns('pid', 'time'), '-p'];

/** `ps` writes dates in its caller's language and time zone, and both can change. */
export const PS_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' } as const;

// "Wed Jul 29 15:37:10 2026"; a day below ten has a space before it.
const STARTED = String.raw`\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}`;
const ROW = new RegExp(String.raw`^ *(\d+) +(\d+) +(\d+) +(\S+) +(${STARTED}) *(.*)$`);
const ONE = new RegExp(String.raw`^(\S+) +(${STARTED})`);

export function parseTable(text: string): DarwinRow[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = '', started = '', shown = ''] = ROW.exec(line) ?? [];
    if (pid === undefined) return [];
    const startTime = secondsOf(started);
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), startTime, isDead: isZombie(state), shown },
    ];
  });
}

/** The start time of a living process; null for a zombie, or if there is none. */
export function parseStartTime(text: string): string | null {
  const [, state, started] = ONE.exec(text) ?? [];
  return state === undefined || started === undefined || isZombie(state) ? null : secondsOf(started);
}

const isZombie = (state: string) => state.startsWith('Z');

/** In seconds: `ps` is no more precise. */
function secondsOf(started: string): string {
  return String(Date.parse(`${started} UTC`) / 1000);
}

export function parseCommandLines(text: string): Map<number, string> {
  const lines = text.split('\n').flatMap((line): [number, string][] => {
    const [, pid, command] = /^ *(\d+) (.*)$/.exec(line) ?? [];
    return pid === undefined || command === undefined ? [] : [[Number(pid), command]];
  });
  return new Map(lines);
}

/** Minutes, seconds and hundredths: `  412   0:01.25`. */
export function parseCpuTimes(text: string): Map<number, Duration> {
  const lines = text.split('\n').flatMap((line): [number, Duration][] => {
    const [, pid, minutes, seconds] = /^ *(\d+) +(\d+):(\d\d\.\d\d) *$/.exec(line) ?? [];
    return pid === undefined ? [] : [[Number(pid), Math.round((Number(minutes) * 60 + Number(seconds)) * 1000)]];
  });
  return new Map(lines);
}

/**
 * The words of a variable, from what `ps -E` prints after the command line. Only spaces separate anything there: the
 * words end where the next variable begins.
 */
export function wordsOfVariable(shown: string, commandLine: string, variable: string): string[] {
  if (!shown.startsWith(`${commandLine} `)) return [];
  const words = shown.slice(commandLine.length + 1).split(' ');
  const first = words.findIndex((word) => word.startsWith(`${variable}=`));
  if (first === -1) return [];
  const next = words.findIndex((word, index) => index > first && /^[A-Za-z_]\w*=/.test(word));
  const [head = '', ...rest] = words.slice(first, next === -1 ? undefined : next);
  return [head.slice(variable.length + 1), ...rest];
}

/** "{ sec = 1426005997, usec = 0 } Tue Mar 10 11:46:37 2015" */
export function parseBootTime(text: string): Instant | null {
  const seconds = /\bsec = (\d+)/.exec(text)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

export function parseBootSession(text: string): string | null {
  return /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/im.exec(text)?.[0] ?? null;
}

export function parsePlatformUuid(text: string): string | null {
  return /"IOPlatformUUID" = "([^"]+)"/.exec(text)?.[1] ?? null;
}
