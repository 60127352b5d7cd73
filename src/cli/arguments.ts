/** What the declarations of several commands need. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../core/text/duration.ts';

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
