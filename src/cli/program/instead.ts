/** Guesses what was meant by a flag or a command that does not exist: a similar one, or one of another command. */
import type { Command, Option } from 'commander';
import { linesOf } from '../../core/text/lines-of.ts';
import { nearest } from '../../core/text/nearest.ts';
import { Alias } from './alias.ts';
import { pathOf } from './command.ts';
import { refusedCommonFlag } from './common-flags.ts';

export function flagInstead(flag: string, command: Command, programs: readonly Command[]): string {
  const refused = refusedCommonFlag(pathOf(command), flag);
  if (refused !== null) return refused;
  const meant = ownFlag(flag, command, programs);
  if (meant !== null) return `there is no flag ${flag}; did you mean ${meant}?`;
  const sisters = leavesOf(programs).filter((other) => other !== command && pathOf(other) !== pathOf(command));
  const owner = sisters.find((other) => optionOf(other, flag) !== undefined);
  if (owner !== undefined) return `${pathOf(command)} has no flag ${flag}; ${pathOf(owner)} has it`;
  return `there is no flag ${flag}`;
}

/** The command's own flag that was meant: spelled differently, similar, or with another command's letter. */
export function ownFlag(flag: string, command: Command, programs: readonly Command[]): string | null {
  const own = command.options.filter((option) => !option.hidden || option instanceof Alias);
  const longs = ['--help', ...own.flatMap(({ long }) => (long === undefined ? [] : [long]))];
  const same = longs.find((long) => plain(long) === plain(flag));
  if (same !== undefined) return same;
  // A letter stands for the flag that has it in another command, if this command has that flag, too.
  if (/^-[^-]/.test(flag)) {
    const letter = flag.slice(0, 2);
    const others = leavesOf(programs).flatMap((other) => optionOf(other, letter)?.long ?? []);
    const known = others.map((long) => optionOf(command, long)).find((option) => option !== undefined);
    return known === undefined ? null : flagsOf(known);
  }
  const name = flag.replace(/^-+/, '');
  const near = nearest(
    name,
    longs.map((long) => long.slice(2)),
  );
  return near === null ? null : `--${near}`;
}

/** Synonyms that people know from other programs. */
const KNOWN_ELSEWHERE: Readonly<Record<string, string>> = {
  list: 'ls',
  ps: 'ls',
  start: 'run',
  exec: 'run',
  continue: 'resume',
  kill: 'stop',
  cancel: 'stop',
  clean: 'gc',
  rm: 'gc',
  remove: 'gc',
  delete: 'gc',
  drop: 'gc',
  setup: 'init',
};

export function commandInstead(word: string, group: Command, programs: readonly Command[]): string {
  const path = pathOf(group);
  const fact = `there is no command ${word}`;
  const names = group
    .createHelp()
    .visibleCommands(group)
    .flatMap((sub) => [sub.name(), ...sub.aliases()]);
  const synonym = KNOWN_ELSEWHERE[word];
  const meant = nearest(word, names) ?? (synonym !== undefined && names.includes(synonym) ? synonym : null);
  if (meant !== null) return `${fact}; did you mean ${path} ${meant}?`;
  const sister = programs.flatMap(inAndBelow).find((other) => other.name() === word && isVisible(other));
  return sister === undefined ? fact : `${fact}; did you mean ${pathOf(sister)}?`;
}

function inAndBelow(command: Command): Command[] {
  return command.commands.flatMap((sub) => [sub, ...inAndBelow(sub)]);
}

function isVisible(command: Command): boolean {
  const { parent } = command;
  return parent === null || (parent.createHelp().visibleCommands(parent).includes(command) && isVisible(parent));
}

/** Commands that a person runs, not groups of them. */
function leavesOf(programs: readonly Command[]): Command[] {
  return programs.flatMap(inAndBelow).filter((each) => each.commands.length === 0 && isVisible(each));
}

const optionOf = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ short, long }) => flag === short || flag === long);

/** `-m, --max-iterations`, without its value. */
export function flagsOf(option: Option | undefined): string {
  const { short = option instanceof Alias ? option.target.short : undefined, long } = option ?? {};
  return linesOf(short, long).join(', ');
}

const plain = (flag: string): string => flag.replaceAll(/[-_]/g, '').toLowerCase();
