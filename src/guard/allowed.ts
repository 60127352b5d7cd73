/**
 * Commands that people have allowed in spite of the guard, one per line: exactly that command, or, with a `*` as its
 * last word, every command that begins so. Blank lines and lines with `#` say nothing.
 */
import { type Command, callersOf, UNKNOWN } from './command.ts';
import { newShell } from './run/shell.ts';
import { walkWhole } from './run/walk.ts';

export interface Allowed {
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

export function readAllowed(text: string, home: string, project: string): Allowed[] {
  return text.split('\n').flatMap((line) => {
    const shell = newShell(home, project, project);
    walkWhole(line.trim(), shell);
    const [command] = shell.found;
    if (command === undefined || command.name === '') return [];
    const words = [command.name, ...command.words];
    const isPrefix = words.length > 1 && words.at(-1) === '*';
    return [{ words: isPrefix ? words.slice(0, -1) : words, isPrefix }];
  });
}

/** Also where the whole of what calls it is allowed: `sudo apt-get install x` allows the `apt-get` in it. */
export function isAllowed(command: Command, allowed: readonly Allowed[]): boolean {
  return [command, ...callersOf(command)].some(({ name, words: args, redirections }) => {
    const words = [name, ...args];
    // What is not known is not what was allowed, and a redirection is more than the command.
    if (words.some((word) => word.includes(UNKNOWN))) return false;
    if (redirections.some(({ operator }) => operator.includes('>'))) return false;
    return allowed.some(
      ({ words: wanted, isPrefix }) =>
        wanted.every((word, at) => word === words[at]) && (isPrefix || wanted.length === words.length),
    );
  });
}
