/** How `--help` looks: 80 columns, commands and flags in groups, bold headings. Commander removes unwanted colours. */
import { styleText } from 'node:util';
import { type Command, Help, type Option } from 'commander';

const COLUMNS = 80;
/** The description of a longer term begins on the next line. */
const LONGEST_TERM = 26;
/** Commander decides about colours when it writes the text. */
const ALWAYS = { validateStream: false };

const title = (text: string): string => styleText('bold', text, ALWAYS);

/** Styles the text after the flags: headings like commander's, and comments in examples are dim. */
export function styledText(text: string): string {
  return text
    .replaceAll(/^\S.*:$/gm, title)
    .replaceAll(/(?<= )# .*$/gm, (comment) => styleText('dim', comment, ALWAYS));
}

export class OwnHelp extends Help {
  override minWidthToWrap = 20;

  override prepareContext(context: Parameters<Help['prepareContext']>[0]): void {
    this.helpWidth = Math.min(COLUMNS, context.helpWidth ?? COLUMNS);
  }

  override formatHelp(command: Command, helper: Help): string {
    const width = helper.padWidth(command, helper);
    const item = (term: string, about: string): string => helper.formatItem(term, width, about, helper);
    const heading = (text: string, items: readonly string[]): string[] =>
      items.length === 0 ? [] : [title(text), ...items, ''];
    const about = helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? COLUMNS);
    const groups = <Item>(
      items: readonly Item[],
      headingOf: (item: Item) => string,
      show: (item: Item) => string,
    ): string[] =>
      [...new Set(items.map(headingOf))].flatMap((group) =>
        heading(group, items.filter((each) => headingOf(each) === group).map(show)),
      );
    return [
      `${title('Usage:')} ${helper.commandUsage(command)}`,
      '',
      ...(about === '' ? [] : [about, '']),
      ...heading(
        'Arguments:',
        helper.visibleArguments(command).map((each) => item(each.name(), helper.argumentDescription(each))),
      ),
      ...groups(
        helper.visibleCommands(command),
        (each) => each.helpGroup() || 'Commands:',
        (each) => item(helper.subcommandTerm(each), helper.subcommandDescription(each)),
      ),
      ...groups(
        helper.visibleOptions(command),
        (each) => each.helpGroupHeading ?? 'Options:',
        (each) => item(helper.optionTerm(each), helper.optionDescription(each)),
      ),
    ].join('\n');
  }

  /** Not listed: `ralph help run` works, but `ralph run --help` is what people try. */
  override visibleCommands(command: Command): Command[] {
    return super.visibleCommands(command).filter((each) => each.name() !== 'help');
  }

  /** Its arguments and flags are in its own help. */
  override subcommandTerm(command: Command): string {
    return command.name();
  }

  override subcommandDescription(command: Command): string {
    return firstSentence(command.summary() || command.description());
  }

  override optionDescription(option: Option): string {
    const { description, argChoices, defaultValueDescription } = option;
    const shown = defaultValueDescription ?? shownDefault(option.defaultValue);
    const notes = [
      ...(argChoices === undefined || argChoices.every((choice) => description.includes(choice))
        ? []
        : [argChoices.join(', ')]),
      ...(shown === null ? [] : [`default: ${shown}`]),
    ];
    return notes.reduce(withNote, description);
  }

  override padWidth(command: Command, helper: Help): number {
    const terms = [
      ...helper.visibleArguments(command).map((each) => each.name()),
      ...helper.visibleCommands(command).map((each) => helper.subcommandTerm(each)),
      ...helper.visibleOptions(command).map((each) => helper.optionTerm(each)),
    ];
    return Math.max(0, ...terms.map(({ length }) => length).filter((length) => length <= LONGEST_TERM));
  }

  override formatItem(term: string, width: number, description: string, helper: Help): string {
    if (description === '') return `  ${term}`;
    const lines = helper.boxWrap(description, (helper.helpWidth ?? COLUMNS) - width - 4).split('\n');
    const indent = `\n${' '.repeat(width + 4)}`;
    const opening = term.length > width ? `  ${term}${indent}` : `  ${term.padEnd(width)}  `;
    return `${opening}${lines.join(indent)}`;
  }
}

/** Adds a note to the one pair of brackets at the end. */
export function withNote(description: string, note: string): string {
  return description.endsWith(')') ? `${description.slice(0, -1)}; ${note})` : `${description} (${note})`;
}

/** In a list, a command has one line. */
function firstSentence(text: string): string {
  return text.replace(/(?:[.:;](?= |$)| \().*$/s, '');
}

/** Null for flags that are on or off and for lists, whose defaults are obvious. */
function shownDefault(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
