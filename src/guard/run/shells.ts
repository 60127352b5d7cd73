/** The code that a shell would run: `-c` text, a script file, or its input; and the recipes of `make`. */
import type { Seen } from '../category.ts';
import type { Arg, Command, Flow, Options } from '../command.ts';
import { list, NOTHING, readOptions, textsOf, UNKNOWN } from '../command.ts';
import { resolvePath } from '../paths.ts';
import { fileAt, type Inner, type Shell, scriptOf } from './shell.ts';

/** Shells whose commands look similar but whose syntax differs. */
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
  // `--rcfile x` is read before anything else.
  const before = textsOf(options.values('rcfile', 'init-file')).flatMap((path) => scriptOf(textIn(path)));
  if (!isSourced && options.has('c')) return [...before, ...scriptOf(first, { parameters: others, isGuess })];
  // Its commands would read the rest of the script itself as their input.
  if (readsInput(options)) return [...before, ...scriptOf(command.input.text, { isGuess, input: NOTHING })];
  return [...before, ...scriptOf(textIn(first), { parameters, isSameShell: isSourced, isGuess })];
}

/** The commands that produced the code which a shell, an interpreter or `eval` would run. */
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

/** A recipe line, after its tab or after `target: ;`. */
const RECIPE = /^(?:\t[@+-]*|[^\t#=]*:[^=;]*;\s*[@+-]*)(.*)$/;
const LONGEST_LINE = 2000;

/** `make` with a known makefile: from stdin, or written by the same command. */
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
    // `$$x` belongs to the shell; `$(x)` and `$x` belong to make.
    return (recipe === undefined ? called : [recipe, ...called]).map((each) =>
      each.replaceAll(/\$(\$|\([^()]*\)|\{[^{}]*\}|.)/g, (_all, what: string) => (what === '$' ? '$' : UNKNOWN)),
    );
  });
}
