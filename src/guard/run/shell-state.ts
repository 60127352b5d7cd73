/** What a shell would remember from one command to the next, as far as text can tell. */
import type { Function as FunctionNode } from 'unbash';
import { type Command, type Flow, plainArg } from '../command.ts';
import { scalar, type Variables } from './variables.ts';

const MOST_STEPS = 20_000;
/** A copy of many variables takes its time. */
const VARIABLES_PER_STEP = 100;

/** How much may still be read, and whether something was left out: a text can describe more than anybody has time for. */
export interface Limits {
  stepsLeft: number;
  isTooDeep: boolean;
  /** What the parser says of a text that it could not read. */
  syntaxError: string | null;
}

export interface Shell {
  readonly home: string;
  readonly project: string;
  cwd: string | null;
  readonly variables: Variables;
  readonly aliases: Map<string, string>;
  readonly functions: Map<string, FunctionBody>;
  /** Files written on the way: their text if it is known, and whose output it is. */
  readonly files: Map<string, Flow>;
  /** How many lines of a flow were read. */
  readonly linesRead: Map<Flow, number>;
  /** Everything that would be run, in order. */
  readonly found: Command[];
  readonly limits: Limits;
  /** Functions and aliases that are being run: one that calls itself is followed once. */
  readonly running: readonly string[];
  depth: number;
}

export interface FunctionBody {
  readonly body: FunctionNode['body'];
  /** The text that its positions refer to. */
  readonly source: string;
}

export function newShell(home: string, project: string, cwd: string): Shell {
  const user = home.split('/').at(-1) ?? '';
  const variables = Object.entries({
    HOME: home,
    PWD: cwd,
    CLAUDE_PROJECT_DIR: project,
    IFS: ' ',
    TMPDIR: '/tmp',
    SHELL: '/bin/bash',
    BASH: '/bin/bash',
    '0': 'bash',
    USER: user,
    LOGNAME: user,
  });
  return {
    home,
    project,
    cwd,
    variables: new Map(variables.map(([name, text]) => [name, scalar(plainArg(text))])),
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
