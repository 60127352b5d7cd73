/** Headings in the help of a command that has many flags or commands. */
import type { Command, Option } from 'commander';

/** Names by heading; everything else comes under the last heading. */
export type Groups = Readonly<Record<string, readonly string[]>>;

/** Puts the commands of a program under their headings, in this order. */
export function groupCommands(program: Command, groups: Groups): void {
  // Help lists them in the order of this list.
  const commands = program.commands as Command[];
  for (const command of commands) command.helpGroup(headingOf(command.name(), groups));
  commands.sort(byPlace(groups, (command) => command.name()));
}

/** The same for the flags of a command, which are named by their long form: `max-iterations`. */
export function groupFlags(command: Command, groups: Groups): void {
  const nameOf = ({ long = '' }: Option): string => long.slice(2);
  const options = command.options as Option[];
  for (const option of options) option.helpGroup(headingOf(nameOf(option), groups));
  options.sort(byPlace(groups, nameOf));
  command.optionsGroup(Object.keys(groups).at(-1) ?? '').helpOption('-h, --help', 'show this help');
}

function headingOf(name: string, groups: Groups): string {
  const headings = Object.keys(groups);
  return headings.find((heading) => groups[heading]?.includes(name)) ?? headings.at(-1) ?? '';
}

function byPlace<Item>(groups: Groups, nameOf: (item: Item) => string): (one: Item, other: Item) => number {
  const names = Object.values(groups).flat();
  const placeOf = (item: Item): number => {
    const place = names.indexOf(nameOf(item));
    return place === -1 ? names.length : place;
  };
  return (one, other) => placeOf(one) - placeOf(other);
}
