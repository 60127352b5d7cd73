/** Says in one line what is wrong with a command line, with the nearest match, and where to look it up. */
import type { Argument, Command, Option } from 'commander';
import { RalphError } from '../../core/error.ts';
import { listed } from '../../core/text/listed.ts';
import { nearest } from '../../core/text/nearest.ts';
import { pathOf, type Refused } from './command.ts';
import { commandInstead, flagInstead, flagsOf, ownFlag } from './instead.ts';

/** All commands of both programs, to find what another one has. */
export type Programs = () => Promise<readonly Command[]>;

export async function usageError({ command, code, message }: Refused, programs: Programs): Promise<RalphError> {
  const about = (await WORDS[code]?.(command, message, programs)) ?? message.replace(/^error: /, '');
  return new RalphError('USAGE', about, { see: `${pathOf(command)} --help` });
}

type Words = (command: Command, message: string, programs: Programs) => string | Promise<string>;

const WORDS: Readonly<Record<string, Words>> = {
  async 'commander.unknownOption'(command, message, programs) {
    return flagInstead(flagIn(quotedIn(message)), command, await programs());
  },
  async 'commander.unknownCommand'(command, message, programs) {
    return commandInstead(quotedIn(message), command, await programs());
  },
  'commander.invalidArgument': (command, message) => wrongValue(command, message),
  'commander.optionMissingArgument'(command, message) {
    const option = optionIn(command, message);
    return `${flagsOf(option)} needs a value: ${valueName(option)}`;
  },
  async 'commander.missingMandatoryOptionValue'(command, message, programs) {
    const missing = optionIn(command, message);
    // Commander reports it before it reports an unknown flag that was perhaps meant for it.
    const typed = command.args.find(
      (word) => word.startsWith('--') && ownFlag(flagIn(word), command, []) === missing?.long,
    );
    if (typed !== undefined) return flagInstead(flagIn(typed), command, await programs());
    return `${pathOf(command)} needs ${missing?.flags ?? quotedIn(message)}`;
  },
  'commander.missingArgument'(command, message) {
    const name = quotedIn(message);
    const { argChoices } = command.registeredArguments.find((each) => each.name() === name) ?? {};
    return `${pathOf(command)} needs <${name}>${argChoices === undefined ? '' : `: ${listed(argChoices, 'or')}`}`;
  },
  'commander.conflictingOption'(command, message) {
    const [one, other] = [...message.matchAll(/option '(.+?)'/g)].map(([, flags]) => flagsOf(named(command, flags)));
    return `${one} and ${other} cannot be used together`;
  },
  'commander.excessArguments'(command) {
    const most = command.registeredArguments.length;
    const extra = JSON.stringify(command.args[most] ?? '');
    const taken = most === 0 ? 'no arguments' : most === 1 ? 'one argument' : `at most ${most} arguments`;
    return `${pathOf(command)} takes ${taken}; ${extra} is one too many`;
  },
};

const WRONG_OPTION = /^error: option '(?<flags>.+?)' argument '(?<value>.*)' is invalid\. (?<why>.*)$/s;
const WRONG_ARGUMENT =
  /^error: command-argument value '(?<value>.*)' is invalid for argument '(?<flags>.+)'\. (?<why>.*)$/s;

/** `why`: from our own parsers (`must be a positive integer such as 10`), or commander's list of choices. */
function wrongValue(command: Command, message: string): string {
  const {
    flags = '',
    value = '',
    why = '',
  } = (WRONG_OPTION.exec(message) ?? WRONG_ARGUMENT.exec(message))?.groups ?? {};
  const what: Option | Argument | undefined =
    named(command, flags) ?? command.registeredArguments.find((each) => each.name() === flags);
  const name = what !== undefined && 'flags' in what ? flagsOf(what) : `<${flags}>`;
  const got = value === '' ? '' : `, got ${JSON.stringify(value)}`;
  if (what?.argChoices === undefined) return `${name} ${why}${got}`;
  const choices = `${name} must be ${listed(what.argChoices, 'or')}`;
  // The word after a flag with an optional value is taken for the value.
  if ('optional' in what && what.optional && value.includes(' ')) return `${choices}; put it after the prompt`;
  const meant = nearest(value, what.argChoices);
  return meant === null ? `${choices}${got}` : `${choices}; did you mean ${meant}?`;
}

/** The flag without its value. */
const flagIn = (word: string): string => word.replace(/=.*$/s, '');

const quotedIn = (message: string): string => /'(.*)'/s.exec(message)?.[1] ?? '';

function named(command: Command, flags = ''): Option | undefined {
  return command.options.find((option) => option.flags === flags);
}

const optionIn = (command: Command, message: string): Option | undefined => named(command, quotedIn(message));

/** `<n>` */
const valueName = (option: Option | undefined): string => /[<[].*/.exec(option?.flags ?? '')?.[0] ?? 'a value';
