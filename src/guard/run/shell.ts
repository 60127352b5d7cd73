/** What a shell would remember from one command to the next, as far as text can tell. */
import type { Function as FunctionNode } from 'unbash';
import { type Arg, type Command, type Flow, plainArg, readOptions, textsOf, UNKNOWN, valuedNames } from '../command.ts';
import { resolvePath } from '../paths.ts';

const MOST_STEPS = 20_000;
/** A copy of many variables takes its time. */
const VARIABLES_PER_STEP = 100;

export interface Shell {
  readonly home: string;
  readonly project: string;
  cwd: string | null;
  readonly variables: Variables;
  readonly aliases: Map<string, string>;
  /** With the text that the positions in their body refer to. */
  readonly functions: Map<string, { readonly body: FunctionNode['body']; readonly source: string }>;
  /** Files written on the way: their text if it is known, and whose output it is. */
  readonly files: Map<string, Flow>;
  readonly linesRead: Map<Flow, number>;
  readonly found: Command[];
  /** How much may still be read, and what was left out: a text can describe more than there is time for. */
  readonly limits: {
    stepsLeft: number;
    isTooDeep: boolean;
    /** What the parser says of a text that it could not read. */
    syntaxError: string | null;
  };
  /** Functions and aliases that are being run: one that calls itself is followed once. */
  readonly running: readonly string[];
  depth: number;
}

/** Values by index; a variable that is no list has the index 0 alone. */
export type Variable = ReadonlyMap<string, Arg>;
export type Variables = Map<string, Variable>;

const USUAL = { IFS: ' ', TMPDIR: '/tmp', SHELL: '/bin/bash', BASH: '/bin/bash', '0': 'bash' };

export function newShell(home: string, project: string, cwd: string): Shell {
  const user = home.split('/').at(-1) ?? '';
  const variables = { ...USUAL, HOME: home, PWD: cwd, CLAUDE_PROJECT_DIR: project, USER: user, LOGNAME: user };
  return {
    home,
    project,
    cwd,
    variables: new Map(Object.entries(variables).map(([name, text]) => [name, scalar(plainArg(text))])),
    aliases: new Map(),
    functions: new Map(),
    files: new Map(),
    linesRead: new Map(),
    found: [],
    limits: { stepsLeft: MOST_STEPS, isTooDeep: false, syntaxError: null },
    running: [],
    depth: 0,
  };
}

/** A subshell: what it changes is forgotten, what it ran is not. */
export function subshellOf(shell: Shell): Shell {
  shell.limits.stepsLeft -= Math.floor(shell.variables.size / VARIABLES_PER_STEP);
  return { ...shell, variables: new Map(shell.variables) };
}

/** A file that was written on the way; null for any other. */
export function fileAt(path: string, cwd: string | null, { files, home }: Shell): Flow | null {
  const resolved = resolvePath(path, cwd, home);
  return resolved === null ? null : (files.get(resolved) ?? null);
}

export function valueNamed(name: string, { variables }: Shell): Arg | undefined {
  return variables.get(name)?.get('0');
}

export function scalar(value: Arg): Variable {
  return new Map([['0', value]]);
}

/** A list, from index 0; `[key]=value` names its index itself. */
export function listOf(values: readonly Arg[], before: Variable = new Map()): Variable {
  const list = new Map(before);
  let next = before.size;
  for (const value of values) {
    const [head, key = ''] = /^\[([^\]]*)\]=/.exec(value.text) ?? [];
    if (head === undefined) list.set(String(next++), value);
    else list.set(key, { ...value, text: value.text.slice(head.length) });
  }
  return list;
}

export function valueAt(variable: Variable | undefined, index: string): Arg | undefined {
  if (variable === undefined) return undefined;
  if (/^-\d+$/.test(index)) return [...variable.values()].at(Number(index));
  // Which one it is is not known; if there is only one, it is that.
  const isOnly = index.includes(UNKNOWN) && variable.size === 1;
  return variable.get(index) ?? (isOnly ? [...variable.values()][0] : undefined);
}

/** What a shell joins a list with between quotes. */
export function joinedValues(variable: Variable): Arg {
  const values = [...variable.values()];
  return {
    text: textsOf(values).join(' '),
    from: values.flatMap(({ from }) => from),
    secrets: values.flatMap(({ secrets }) => secrets ?? []),
  };
}

/** `$1` …, `$@` and `$*`, as `set -- a b` and the call of a function or a script make them. */
export function setParameters(variables: Variables, values: readonly Arg[]): void {
  for (const index of variables.get('@')?.keys() ?? []) variables.delete(String(Number(index) + 1));
  for (const [index, value] of values.entries()) variables.set(String(index + 1), scalar(value));
  const all: Variable = new Map(values.map((value, index) => [String(index), value]));
  variables.set('@', all);
  variables.set('*', all);
}

export type Inner = {
  /** Where it reads from, if not from where its caller reads. */
  readonly input?: Flow;
  readonly cwd?: string | null | undefined;
  /** It may be a command or something else: where it makes no sense as one, it is something else. */
  readonly isGuess?: boolean;
} & (
  | { readonly args: readonly Arg[] }
  | {
      readonly text: string;
      /** `$0`, `$1` … */
      readonly parameters?: readonly string[];
      /** `eval` and `source` change the shell that they stand in. */
      readonly isSameShell?: boolean;
    }
);

export type Runs = (command: Command, shell: Shell) => Inner[];

/** A script, unless its text is not known. */
export function scriptOf(text?: string | null, how: Partial<Extract<Inner, { text: string }>> = {}): Inner[] {
  return text == null ? [] : [{ ...how, text }];
}

/** A call of these words, unless there are none. */
export function callOf(args: readonly Arg[], cwd?: string | null): Inner[] {
  return args.length === 0 ? [] : [{ args, cwd }];
}

export function lines(texts: readonly string[]): Inner[] {
  return texts.map((text) => ({ text, isGuess: true }));
}

export function linesIn(args: readonly Arg[]): Inner[] {
  return lines(textsOf(args).filter((text) => text !== UNKNOWN));
}

/** Options that hold a line for a shell: those that are named, or all that have a value. */
export function linesInOptions(args: readonly Arg[], valued: string, names = valuedNames(valued)): Inner[] {
  return linesIn(readOptions(args, valued).values(...names));
}
