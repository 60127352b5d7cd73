/** Options and parsers that the commands of tasks and buses share. */
import { InvalidArgumentError, Option } from 'commander';
import { formatGoDuration, parseGoDuration } from '../../core/text/duration.ts';
import { exitWith } from '../program/declare.ts';
import type { Terminal } from './terminal.ts';

/** Loads a command's code when it is called. */
export function run<Flags>(load: () => Promise<(flags: Flags, terminal: Terminal) => Promise<number>>) {
  return async (flags: Flags): Promise<void> => {
    const { runInTerminal } = await import('./terminal.ts');
    return exitWith(runInTerminal(async (terminal) => (await load())(flags, terminal)));
  };
}

/** An option whose value and default are in milliseconds. */
export function durationOption(flag: string, description: string, otherwise: number): Option {
  return new Option(`${flag} <duration>`, description)
    .argParser(goDuration)
    .default(otherwise, formatGoDuration(otherwise));
}

/** Zero is allowed: it means no limit or no delay. */
export function goDuration(text: string): number {
  const ms = parseGoDuration(text);
  if (ms === null) throw new InvalidArgumentError('must be a duration such as 500ms, 90s, 30m, 168h or 0');
  return ms;
}

export function count(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(number) || number < 0) {
    throw new InvalidArgumentError('must be a whole number such as 20, or 0 for all');
  }
  return number;
}

export function rootOption(): Option {
  return new Option('--root <dir>', 'folder of all projects (default: ~/.run-agent/runs)');
}

export function projectOption(): Option {
  return new Option('--project <id>', 'the project (default: that of this folder or this run)');
}
