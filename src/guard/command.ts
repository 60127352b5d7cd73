/** A command as it would be run: its words after expansion, where its input comes from, where it is run. */
import { list } from './tables.ts';

/** Stands in a text for what only a running shell would know. No word of a shell can hold it. */
export const UNKNOWN = '\0';

/** Stands for a list of files that is not known. */
export const UNSEEN_LIST = `${UNKNOWN}*`;

export interface Arg {
  readonly text: string;
  /** The commands whose output is part of it. */
  readonly from: readonly Command[];
  /** Names of variables that hold a secret and whose value is part of it. */
  readonly secrets?: readonly string[];
}

/** What flows through a pipe: its text where it is known, and whose output it is. */
export interface Flow {
  readonly text: string | null;
  readonly from: readonly Command[];
}

export interface Redirected {
  readonly operator: string;
  readonly target: Arg;
}

export interface Command {
  /** Without its folder: `rm` for `/bin/rm`. Empty for assignments that stand alone. */
  readonly name: string;
  /** As it was called. */
  readonly program: string;
  readonly args: readonly Arg[];
  /** The texts of its arguments. */
  readonly words: readonly string[];
  readonly assignments: readonly { readonly name: string; readonly value: Arg }[];
  readonly redirections: readonly Redirected[];
  readonly input: Flow;
  /** Null after a `cd` to somewhere unknown. */
  readonly cwd: string | null;
  /** What has called it: `sudo`, `xargs`, `bash -c` … */
  readonly outer: Command | null;
  /** The text that it came from, for people. */
  readonly source: string;
  /** The same for commands of which each runs only if those before it went well: `a && b && c`. */
  readonly chain: object;
}

export const NOTHING: Flow = { text: null, from: [] };

const MOST_SOURCES = 100;

/** The nearest of them: a pipe of thousands must not be kept thousands of times. */
export function nearest(commands: readonly Command[]): readonly Command[] {
  return commands.length > MOST_SOURCES ? commands.slice(0, MOST_SOURCES) : commands;
}

export function plainArg(text: string): Arg {
  return { text, from: [] };
}

/** Whatever has called it, from the inside out. */
export function callersOf(command: Command): Command[] {
  return command.outer === null ? [] : [command.outer, ...callersOf(command.outer)];
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
const SETTERS = list('export declare typeset readonly local env sudo set');

/** The variables that a command sets: `A=1 x`, `export A=1`, `env A=1 x`. */
export function variablesSetBy(command: Command): { readonly name: string; readonly value: Arg }[] {
  if (!SETTERS.includes(command.name)) return [...command.assignments];
  const given = command.args.flatMap((arg) => {
    const [head, name = ''] = ASSIGNMENT.exec(arg.text) ?? [];
    return head === undefined ? [] : [{ name, value: { ...arg, text: arg.text.slice(head.length) } }];
  });
  return [...command.assignments, ...given];
}
