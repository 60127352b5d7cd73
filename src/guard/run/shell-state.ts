/** What a shell would remember from one command to the next, as far as text can tell. */
import type { Command, Flow } from '../command.ts';
import type { Node } from '../shell/syntax.ts';

const MOST_STEPS = 20_000;

export interface Shell {
  readonly home: string;
  readonly project: string;
  cwd: string | null;
  readonly variables: Map<string, string>;
  readonly aliases: Map<string, string>;
  readonly functions: Map<string, Node>;
  /** Files written on the way: their text if it is known, and whose output it is. */
  readonly files: Map<string, Flow>;
  /** Everything that would be run, in order. */
  readonly found: Command[];
  /** Steps that may still be taken: a text can describe more than anybody has time for. */
  readonly budget: { left: number };
  depth: number;
}

export function newShell(home: string, project: string, cwd: string): Shell {
  const variables = new Map([
    ['HOME', home],
    ['PWD', cwd],
    ['CLAUDE_PROJECT_DIR', project],
    ['IFS', ' '],
    ['TMPDIR', '/tmp'],
  ]);
  return {
    home,
    project,
    cwd,
    variables,
    aliases: new Map(),
    functions: new Map(),
    files: new Map(),
    found: [],
    budget: { left: MOST_STEPS },
    depth: 0,
  };
}

/** A subshell: what it changes is forgotten, what it ran is not. */
export function subshellOf(shell: Shell): Shell {
  return { ...shell, variables: new Map(shell.variables) };
}
