/** Writes a command so that tmux's own parser reads back exactly the arguments that were meant; no shell is involved. */

export type TmuxCommand = readonly [string, ...string[]];

/** A line of control mode: arguments hold any text but NUL, which no tmux argument can. */
export function commandLine(command: TmuxCommand): string {
  return `${command.map(quoted).join(' ')}\n`;
}

/** In double quotes tmux still expands `$` and a `~` that stands first; a line feed as it is would end the command. */
function quoted(argument: string): string {
  return `"${argument.replaceAll(SPECIAL, octal)}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
const SPECIAL = /["$\\~\u0000-\u001f\u007f]/g;

function octal(character: string): string {
  if (character === '\0') throw new Error('an argument of tmux cannot hold a NUL');
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
