/** What a command would run in its turn, as the tables and readers of programs tell it to the walk. */
import { type Arg, type Command, type Flow, type Shape, UNKNOWN, readOptions } from '../command.ts';
import type { Shell } from './shell.ts';

export type Inner = {
  /** Where it reads from, if not from where its caller reads. */
  readonly input?: Flow;
  readonly cwd?: string | null;
  /** It may be a command or something else: where it makes no sense as one, it is something else. */
  readonly isGuess?: boolean;
} & (
  | { readonly kind: 'call'; readonly args: readonly Arg[] }
  | {
      readonly kind: 'text';
      readonly text: string;
      /** `$0`, `$1` … */
      readonly parameters?: readonly string[];
      /** `eval` and `source` change the shell that they stand in. */
      readonly isSameShell?: boolean;
    }
);

export type Runs = (command: Command, shell: Shell) => Inner[];

/** A call of these words, unless there are none. */
export function callOf(args: readonly Arg[], cwd?: string | null): Inner[] {
  if (args.length === 0) return [];
  return [cwd === undefined ? { kind: 'call', args } : { kind: 'call', args, cwd }];
}

/** Each may be a line for a shell. */
export function lines(texts: readonly string[]): Inner[] {
  return texts.map((text) => ({ kind: 'text', text, isGuess: true }));
}

export function linesIn(args: readonly Arg[]): Inner[] {
  return lines(args.map(({ text }) => text).filter((text) => text !== UNKNOWN));
}

/** Options that hold a line for a shell: those that are named, or all that have a value. */
export function linesInOptions(args: readonly Arg[], shape: Shape, names = namesOf(shape)): Inner[] {
  return linesIn(readOptions(args, shape).values(...names));
}

function namesOf({ letters = '', names = [] }: Shape): string[] {
  return [...letters, ...names];
}
