/** What the declarations of several commands need. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration, parseGoDuration } from '../core/text/duration.ts';

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a positive integer.');
  return number;
}

/** In milliseconds. */
export function durationLike(examples: string): (text: string) => number {
  return (text) => {
    const ms = parseDuration(text);
    if (ms === null) throw new InvalidArgumentError(`It must be a duration such as ${examples}.`);
    return ms;
  };
}

/** What a command comes to; the process ends in main.ts, once everything is written. */
export async function exitWith(code: Promise<number>): Promise<void> {
  process.exitCode = await code;
}

/** The command line that starts this program again. */
export function self(): readonly [string, ...string[]] {
  return [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)];
}

/** For commands that run a loop; see OutputFlags. */
export function addOutputFlags(command: Command): Command {
  return command
    .addOption(
      new Option('-q, --quiet', 'print verdicts, warnings, errors and the closing lines only').conflicts('verbose'),
    )
    .addOption(new Option('--json', 'print events to stdout, one JSON object per line').conflicts(['quiet', 'dryRun']));
}

export const DETACH = ['--detach', 'run in the background; returns once the loop has begun'] as const;

const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** `10MB`, `100KB`, `1GB`, or bytes; null for anything else. */
export function parseSize(text: string): number | null {
  const [, number, unit = ''] = /^\s*(\d+)\s*([KMG]?B)?\s*$/i.exec(text) ?? [];
  const bytes = Number(number) * (UNITS[unit.toUpperCase()] ?? 1);
  return number !== undefined && Number.isSafeInteger(bytes) ? bytes : null;
}

export function size(text: string): number {
  const bytes = parseSize(text);
  if (bytes === null) throw new InvalidArgumentError('It must be a size such as 10MB, 500MB or 5GB.');
  return bytes;
}

/** In milliseconds; zero is one, too. */
export function age(text: string): number {
  const [, days] = /^(\d+)d$/.exec(text) ?? [];
  const ms = days === undefined ? parseGoDuration(text) : Number(days) * 24 * 60 * 60_000;
  if (ms === null) throw new InvalidArgumentError('It must be a duration such as 7d, 36h or 0.');
  return ms;
}
