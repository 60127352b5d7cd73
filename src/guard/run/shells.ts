/** What a shell is given to run: `-c` text, a script file, or its input. */
import { type Arg, type Command, type Flow, NOTHING } from '../command.ts';
import { type Options, readOptions } from '../options.ts';
import { resolvePath } from '../paths.ts';
import type { Shell } from './shell-state.ts';
import type { Inner } from './unfold.ts';

const SHELLS = [
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'ash',
  'fish',
  'mksh',
  'rbash',
  'yash',
  'csh',
  'tcsh',
  'nu',
  'elvish',
  'xonsh',
  'pwsh',
];
/** Their commands look like those of a shell, but their syntax is another. */
const OTHER_LANGUAGES = ['fish', 'csh', 'tcsh', 'nu', 'elvish', 'xonsh', 'pwsh'];
const INTERPRETERS = ['python', 'node', 'nodejs', 'deno', 'bun', 'perl', 'ruby', 'php', 'lua', 'osascript', 'tclsh'];

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
  const [first, ...others] = options.operands;
  const parameters = [first, ...others].map((arg) => arg?.text ?? '');
  // `--rcfile x`: read before anything else.
  const before = options.values('rcfile', 'init-file').flatMap(({ text }): Inner[] => {
    const file = writtenText(text, command, shell);
    return file === null ? [] : [{ kind: 'text', text: file }];
  });
  if (!isSourced && options.has('c')) {
    if (first === undefined) return before;
    return [...before, { kind: 'text', text: first.text, parameters: parameters.slice(1), isGuess }];
  }
  if (readsInput(options)) {
    const { text } = command.input;
    // What its commands could read is the rest of their own text.
    return text === null ? before : [...before, { kind: 'text', text, isGuess, input: NOTHING }];
  }
  const text = writtenText(first?.text ?? '', command, shell);
  return text === null ? before : [...before, { kind: 'text', text, parameters, isSameShell: isSourced, isGuess }];
}

/** What a file holds that was written a moment ago; null for any other. */
function writtenText(path: string, command: Command, shell: Shell): string | null {
  const resolved = resolvePath(path, command.cwd, shell.home);
  return resolved === null ? null : (shell.files.get(resolved)?.text ?? null);
}

/** Whose words a shell, an interpreter or `eval` would run, and how they came to it. */
export function programFlow(command: Command, files: (path: string) => Flow | null): Flow | null {
  if (command.name === 'eval') return flowOf(command.args);
  const isSourced = command.name === 'source' || command.name === '.';
  if (!isShell(command.name) && !isSourced && !isInterpreter(command.name)) {
    return command.program.includes('/') ? files(command.program) : null;
  }
  const options = shellOptions(command);
  const [first] = options.operands;
  if (isInterpreter(command.name)) {
    const given = options.values('c', 'e', 'r', 'eval');
    if (given.length > 0) return flowOf(given);
    if (options.has('m')) return null;
  } else if (!isSourced && options.has('c')) return first === undefined ? null : flowOf([first]);
  if (!isSourced && readsInput(options)) return command.input;
  if (first === undefined) return null;
  return first.from.length > 0 ? flowOf([first]) : files(first.text);
}

function shellOptions(command: Command): Options {
  const letters = isInterpreter(command.name) ? 'cerIWX' : 'Oo';
  return readOptions(command.args, { letters, names: ['rcfile', 'init-file', 'eval'], isPrefix: true });
}

function readsInput(options: Options): boolean {
  const [first] = options.operands;
  return first === undefined || options.has('s') || first.text === '-' || first.text === '/dev/stdin';
}

function flowOf(args: readonly Arg[]): Flow {
  return { text: null, from: args.flatMap(({ from }) => from) };
}
