/** What programs list, line by line: told from their output where that is known, else from what they were asked for. */
import { type Command, type Flow, UNKNOWN } from '../command.ts';
import { readOptions } from '../options.ts';
import { targetsOfFind } from './find.ts';

const MOST = 64;
const FINDING = ['find', 'gfind'];
/** Programs that list what lies where they are, by some property of it. */
const SEARCHING = ['fd', 'fdfind', 'grep', 'egrep', 'rg', 'git', 'ag', 'ack'];
/** Programs that pass on some of what they are given. */
const FILTERING = ['grep', 'egrep', 'rg', 'head', 'tail', 'awk', 'sed', 'fzf'];

/** Its lines, as far as they can be told; a line may be a pattern that stands for many. */
export function linesOf({ text, from }: Flow): string[] {
  if (text !== null && !text.includes(UNKNOWN)) return text.split('\n').filter(Boolean).slice(0, MOST);
  return listedBy(from).slice(0, MOST);
}

/** Has a program that walks through folders brought it? Then it lies at any depth. */
export function isFound({ from }: Pick<Flow, 'from'>): boolean {
  return from.some(({ name }) => FINDING.includes(name));
}

/** The nearest comes first: `find … | grep …` is grep, then find. */
function listedBy(commands: readonly Command[]): string[] {
  const at = commands.findIndex((command) => FINDING.includes(command.name) || listsAll(command) !== null);
  const command = commands[at];
  if (command === undefined) return commands.some(({ name }) => SEARCHING.includes(name)) ? ['some-file'] : [];
  const isFiltered = commands.slice(0, at).some(filters);
  const listed = listsAll(command) ?? targetsOfFind(command).map(({ text }) => text);
  return isFiltered ? listed.map((text) => `${text.replace(/\/?\*$/, '')}/some-file`) : listed;
}

function filters(command: Command): boolean {
  return FILTERING.includes(command.name) && !readOptions(command.args).has('v', 'invert-match');
}

/** Null if it does not list everything in a folder. */
function listsAll(command: Command): string[] | null {
  if (command.name === 'ls') {
    const { operands } = readOptions(command.args);
    return operands.length === 0 ? ['./*'] : operands.map(({ text }) => (/[*?]/.test(text) ? text : `${text}/*`));
  }
  const isWholeIndex = command.name === 'git' && command.args.map(({ text }) => text).join(' ') === 'ls-files';
  return isWholeIndex ? ['./*'] : null;
}
