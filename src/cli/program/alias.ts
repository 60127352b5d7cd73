/** Second names of flags. */
import { type Command, Option } from 'commander';
import { withNote } from './help.ts';

/** Gives a flag of the command a second name, with the same value and no line of its own in the help. */
export function alsoCalled(command: Command, flag: string, target: string, parse?: (text: string) => number): Command {
  const option = command.options.find(({ long }) => long === target);
  if (option === undefined) throw new Error(`${command.name()} has no flag ${target}`);
  option.description = withNote(option.description, `also: ${flag.replace(/ <.*/, '')}`);
  const alias = new Alias(flag, option);
  return command.addOption(parse === undefined ? alias : alias.argParser(parse));
}

export class Alias extends Option {
  constructor(
    flags: string,
    readonly target: Option,
  ) {
    super(flags, target.description);
    this.hideHelp();
    if (target.parseArg !== undefined) this.argParser(target.parseArg);
  }

  override attributeName(): string {
    return this.target.attributeName();
  }
}
