/** A command as it would be run: its words after expansion, the source of its input, and its folder. */

/** Replaces the parts of a text that only a running shell could know. No shell word can contain it. */
export const UNKNOWN = '\0';

/** Stands for an unknown list of files. */
export const UNSEEN_LIST = `${UNKNOWN}*`;

export interface Arg {
  readonly text: string;
  /** The commands whose output is part of this word. */
  readonly from: readonly Command[];
  /** Names of variables whose secret value is part of this word. */
  readonly secrets?: readonly string[];
}

/** What flows through a pipe: its text, if known, and the commands that produced it. */
export interface Flow {
  readonly text: string | null;
  readonly from: readonly Command[];
}

export interface Command {
  /** Without its folder: `rm` for `/bin/rm`. Empty for assignments without a command. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly Arg[];
  readonly words: readonly string[];
  readonly assignments: readonly { readonly name: string; readonly value: Arg }[];
  readonly redirections: readonly { readonly operator: string; readonly target: Arg }[];
  readonly input: Flow;
  /** Null after a `cd` to somewhere unknown. */
  readonly cwd: string | null;
  /** What calls it: `sudo`, `xargs`, `bash -c` … */
  readonly outer: Command | null;
  readonly source: string;
  /** The same object for commands that each run only if the previous ones succeeded: `a && b && c`. */
  readonly chain: object;
}

export type Redirected = Command['redirections'][number];

export const NOTHING: Flow = { text: null, from: [] };

const MOST_SOURCES = 100;

/** The nearest commands only: a pipe of thousands must not be stored thousands of times. */
export function nearest(commands: readonly Command[]): readonly Command[] {
  return commands.slice(0, MOST_SOURCES);
}

export function hasWord(words: readonly string[], word: RegExp): boolean {
  return words.some((text) => word.test(text));
}

export function plainArg(text: string): Arg {
  return { text, from: [] };
}

export function textsOf(args: readonly Arg[]): string[] {
  return args.map(({ text }) => text);
}

/** What the pattern's first group matches in each argument; arguments that do not match are left out. */
export function partsOf(args: readonly Arg[], pattern: RegExp): Arg[] {
  return args.flatMap((arg) => {
    const text = pattern.exec(arg.text)?.[1];
    return text === undefined ? [] : [{ ...arg, text }];
  });
}

export function callersOf(command: Command): Command[] {
  return command.outer === null ? [] : [command.outer, ...callersOf(command.outer)];
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
const SETTERS = list('export declare typeset readonly local env sudo set');

/** The variables that a command sets: `A=1 x`, `export A=1`, `env A=1 x`. */
export function variablesSetBy({ name: program, args, assignments }: Command): Command['assignments'] {
  const given = (SETTERS.includes(program) ? args : []).flatMap((arg) => {
    const [head, name = ''] = ASSIGNMENT.exec(arg.text) ?? [];
    return head === undefined ? [] : [{ name, value: { ...arg, text: arg.text.slice(head.length) } }];
  });
  return [...assignments, ...given];
}

export type Options = ReturnType<typeof readOptions>;

/** Where options may be: anywhere; only before operands, as for `sudo`; or with one dash, as in `find -name x`. */
export type OptionForm = 'anywhere' | 'leading' | 'single-dash';

type Given = [name: string, value: Arg | null];

const SHORTEST_LONG = 3;

/** `valued` names the options that take a value, letters first: `-nC count directory`. */
export function readOptions(args: readonly Arg[], valued = '', form: OptionForm = 'anywhere') {
  const takesValue = valuedNames(valued);
  const given: Given[] = [];
  const operands: Arg[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) break;
    if (arg.text === '--' || (form === 'leading' && !isOption(arg.text))) {
      operands.push(...args.slice(arg.text === '--' ? at + 1 : at));
      break;
    }
    if (!isOption(arg.text)) operands.push(arg);
    else at += takeOption(arg, args[at + 1] ?? null, takesValue, form, given);
  }
  return {
    operands,
    /** `-r` or `--recursive`, also abbreviated as GNU allows. */
    has: (...names: string[]) => given.some(([name]) => isOneOf(name, names)),
    values: (...names: string[]) =>
      given.flatMap(([name, value]) => (value !== null && isOneOf(name, names) ? [value] : [])),
  };
}

export function valuedNames(valued: string): string[] {
  const names = valued.split(' ');
  return names[0]?.startsWith('-') === true ? [...names[0].slice(1), ...names.slice(1)] : names;
}

function isOption(text: string): boolean {
  return text.length > 1 && text.startsWith('-');
}

/** Returns how many further arguments it took. */
function takeOption({ text, from }: Arg, next: Arg | null, takesValue: string[], form: OptionForm, given: Given[]) {
  if (text.startsWith('--') || form === 'single-dash') {
    const [, name = '', value] = /^--?([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const takes = value === undefined && name.length > 1 && takesValue.includes(name);
    given.push([name, value === undefined ? (takes ? next : null) : { text: value, from }]);
    return takes ? 1 : 0;
  }
  for (let at = 1; at < text.length; at++) {
    const name = text.charAt(at);
    const rest = text.slice(at + 1);
    const takes = takesValue.includes(name);
    given.push([name, takes ? (rest === '' ? next : { text: rest, from }) : null]);
    if (takes) return rest === '' ? 1 : 0;
  }
  return 0;
}

function isOneOf(name: string, wanted: readonly string[]): boolean {
  const isLong = name.length >= SHORTEST_LONG;
  return wanted.some((each) => name === each || (isLong && each.length > 1 && each.startsWith(name)));
}

export function list(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** A table in which several names may share a value: `{ 'rm unlink': … }`. */
export function table<T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  const all = new Map<string, T>();
  for (const [names, value] of Object.entries(entries)) for (const name of names.split(' ')) all.set(name, value);
  return all;
}
