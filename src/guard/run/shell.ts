/** The state that a shell keeps from one command to the next, as far as text can tell. */
import type { Function as FunctionNode } from 'unbash';
import { type Arg, type Command, type Flow, plainArg, readOptions, textsOf, UNKNOWN, valuedNames } from '../command.ts';
import { resolvePath } from '../paths.ts';

const MOST_STEPS = 20_000;
/** Copying many variables takes time. */
const VARIABLES_PER_STEP = 100;

export interface Shell {
  readonly home: string;
  readonly project: string;
  cwd: string | null;
  readonly variables: Variables;
  readonly aliases: Map<string, string>;
  /** `source` is the text that the positions in the body refer to. */
  readonly functions: Map<string, { readonly body: FunctionNode['body']; readonly source: string }>;
  /** Files written by earlier commands: their text, if known, and the commands it came from. */
  readonly files: Map<string, Flow>;
  readonly linesRead: Map<Flow, number>;
  readonly found: Command[];
  /** How much more may be read, and why reading stopped: a short text can describe more than there is time for. */
  readonly limits: {
    stepsLeft: number;
    isTooDeep: boolean;
    /** The parser's message about a text that it could not read. */
    syntaxError: string | null;
  };
  /** Functions and aliases that are being run: one that calls itself is followed once. */
  readonly running: readonly string[];
  depth: number;
}

/** Values by index; a variable that is not a list has only the index 0. */
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

/** A subshell: its changes to variables and folder are lost, the commands that it ran are kept. */
export function subshellOf(shell: Shell): Shell {
  shell.limits.stepsLeft -= Math.floor(shell.variables.size / VARIABLES_PER_STEP);
  return { ...shell, variables: new Map(shell.variables) };
}

/** A file written by an earlier command; null for any other. */
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

/** A list, starting at index 0; `[key]=value` sets its own index. */
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
  // The index is unknown; if there is only one value, it must be that.
  const isOnly = index.includes(UNKNOWN) && variable.size === 1;
  return variable.get(index) ?? (isOnly ? [...variable.values()][0] : undefined);
}

/** The list as a single text, as in quotes. */
export function joinedValues(variable: Variable): Arg {
  const values = [...variable.values()];
  return {
    text: textsOf(values).join(' '),
    from: values.flatMap(({ from }) => from),
    secrets: values.flatMap(({ secrets }) => secrets ?? []),
  };
}

/** `$1` …, `$@` and `$*`, as `set -- a b` sets them, or a call of a function or script. */
export function setParameters(variables: Variables, values: readonly Arg[]): void {
  for (const index of variables.get('@')?.keys() ?? []) variables.delete(String(Number(index) + 1));
  for (const [index, value] of values.entries()) variables.set(String(index + 1), scalar(value));
  const all: Variable = new Map(values.map((value, index) => [String(index), value]));
  variables.set('@', all);
  variables.set('*', all);
}

export type Inner = {
  /** Its input, if it does not read its caller's. */
  readonly input?: Flow;
  readonly cwd?: string | null | undefined;
  /** It may or may not be a command: then a syntax error means that it is not. */
  readonly isGuess?: boolean;
} & (
  | { readonly args: readonly Arg[] }
  | {
      readonly text: string;
      /** `$0`, `$1` … */
      readonly parameters?: readonly string[];
      /** `eval` and `source` change the shell that runs them. */
      readonly isSameShell?: boolean;
    }
);

export type Runs = (command: Command, shell: Shell) => Inner[];

/** A script; nothing if its text is unknown. */
export function scriptOf(text?: string | null, how: Partial<Extract<Inner, { text: string }>> = {}): Inner[] {
  return text == null ? [] : [{ ...how, text }];
}

/** A call of these words; nothing if there are none. */
export function callOf(args: readonly Arg[], cwd?: string | null): Inner[] {
  return args.length === 0 ? [] : [{ args, cwd }];
}

export function lines(texts: readonly string[]): Inner[] {
  return texts.map((text) => ({ text, isGuess: true }));
}

export function linesIn(args: readonly Arg[]): Inner[] {
  return lines(textsOf(args).filter((text) => text !== UNKNOWN));
}

/** Options whose value is a shell command: the named ones, or all that take a value. */
export function linesInOptions(args: readonly Arg[], valued: string, names = valuedNames(valued)): Inner[] {
  return linesIn(readOptions(args, valued).values(...names));
}
