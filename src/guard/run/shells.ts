/** What a shell is given to run: `-c` text, a script file, or its input; and the recipes of `make`. */
import type { Seen } from '../category.ts';
import type { Arg, Command, Flow, Options } from '../command.ts';
import { list, NOTHING, readOptions, textsOf, UNKNOWN } from '../command.ts';
import { resolvePath } from '../paths.ts';
import { fileAt, type Inner, type Shell, scriptOf } from './shell.ts';

/** Their commands look like those of a shell, but their syntax is another. */
const OTHER_LANGUAGES = list('fish csh tcsh nu elvish xonsh pwsh');
export const SHELLS = [...list('sh bash zsh dash ksh ash mksh rbash yash'), ...OTHER_LANGUAGES];
const INTERPRETERS = list('python node nodejs deno bun perl ruby php lua osascript tclsh');

export function isShell(name: string): boolean {
  return SHELLS.includes(name);
}

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.includes(name.replace(/[\d.]+$/, ''));
}

export function scriptOfShell(command: Command, shell: Shell): Inner[] {
  const isSourced = !isShell(command.name);
  const isGuess = OTHER_LANGUAGES.includes(command.name);
  const options = shellOptions(command);
  const parameters = textsOf(options.operands);
  const [first, ...others] = parameters;
  const textIn = (path = '') => fileAt(path, command.cwd, shell)?.text;
  // `--rcfile x`: read before anything else.
  const before = textsOf(options.values('rcfile', 'init-file')).flatMap((path) => scriptOf(textIn(path)));
  if (!isSourced && options.has('c')) return [...before, ...scriptOf(first, { parameters: others, isGuess })];
  // What its commands could read is the rest of their own text.
  if (readsInput(options)) return [...before, ...scriptOf(command.input.text, { isGuess, input: NOTHING })];
  return [...before, ...scriptOf(textIn(first), { parameters, isSameShell: isSourced, isGuess })];
}

/** Whose words a shell, an interpreter or `eval` would run, and how they came to it. */
export function programFlow(command: Command, { written }: Seen): Flow | null {
  const { name, program, cwd } = command;
  if (name === 'eval') return flowOf(command.args);
  const isSourced = name === 'source' || name === '.';
  if (!isShell(name) && !isSourced && !isInterpreter(name)) return program.includes('/') ? written(program, cwd) : null;
  const options = shellOptions(command);
  const [first] = options.operands;
  if (isInterpreter(name)) {
    const given = options.values('c', 'e', 'r', 'eval');
    if (given.length > 0) return flowOf(given);
    if (options.has('m')) return null;
  } else if (!isSourced && options.has('c')) return first === undefined ? null : flowOf([first]);
  if (!isSourced && readsInput(options)) return command.input;
  if (first === undefined) return null;
  return first.from.length > 0 ? flowOf([first]) : written(first.text, cwd);
}

function shellOptions(command: Command): Options {
  const letters = isInterpreter(command.name) ? '-cerIWX' : '-Oo';
  return readOptions(command.args, `${letters} rcfile init-file eval`, 'leading');
}

function readsInput(options: Options): boolean {
  const [first] = options.operands;
  return first === undefined || options.has('s') || first.text === '-' || first.text === '/dev/stdin';
}

function flowOf(args: readonly Arg[]): Flow {
  return { text: null, from: args.flatMap(({ from }) => from) };
}

/** A line of a recipe, behind its tab or behind `target: ;`. */
const RECIPE = /^(?:\t[@+-]*|[^\t#=]*:[^=;]*;\s*[@+-]*)(.*)$/;
const LONGEST_LINE = 2000;

/** `make` with a makefile whose text is known: from stdin, or written by the same command. */
export function commandsOfMake(command: Command, shell: Shell): string[] {
  const options = readOptions(command.args, '-fCjlIo file makefile directory eval jobs include-dir');
  const folders = options.values('C', 'directory');
  const folder = folders.reduce<string | null>((cwd, { text }) => resolvePath(text, cwd, shell.home), command.cwd);
  const named = textsOf(options.values('f', 'file', 'makefile'));
  const files = named.length > 0 ? named : ['GNUmakefile', 'makefile', 'Makefile'];
  const texts = files.map((path) => {
    const isInput = path === '-' || path === '/dev/stdin';
    return (isInput ? command.input : fileAt(path, folder, shell))?.text ?? '';
  });
  const all = [...texts, ...textsOf(options.values('eval'))];
  const lines = all.flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'));
  return lines.flatMap((line) => {
    if (line.length > LONGEST_LINE) return [];
    const [, recipe] = RECIPE.exec(line) ?? [];
    const called = [...line.matchAll(/\$\(shell\s+([^()]*)\)/g)].map(([, inner = '']) => inner);
    // `$$x` is the shell's own, `$(x)` and `$x` are make's.
    return (recipe === undefined ? called : [recipe, ...called]).map((each) =>
      each.replaceAll(/\$(\$|\([^()]*\)|\{[^{}]*\}|.)/g, (_all, what: string) => (what === '$' ? '$' : UNKNOWN)),
    );
  });
}
