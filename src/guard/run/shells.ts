/** What a shell is given to run: `-c` text, a script file, or its input. */
import type { Arg, Command, Flow } from '../command.ts';
import { type Options, readOptions } from '../options.ts';
import { resolvePath } from '../paths.ts';
import type { Shell } from './shell-state.ts';
import type { Inner } from './unfold.ts';

const SHELLS = ['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish', 'mksh', 'rbash'];
const INTERPRETERS = ['python', 'node', 'nodejs', 'deno', 'bun', 'perl', 'ruby', 'php', 'lua', 'osascript', 'tclsh'];

export function isShell(name: string): boolean {
  return SHELLS.includes(name);
}

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.includes(name.replace(/[\d.]+$/, ''));
}

export function scriptOfShell(command: Command, shell: Shell): Inner[] {
  const isSourced = !isShell(command.name);
  const options = shellOptions(command);
  const [first, ...others] = options.operands;
  const parameters = [first, ...others].map((arg) => arg?.text ?? '');
  if (!isSourced && options.has('c')) {
    return first === undefined ? [] : [{ kind: 'text', text: first.text, parameters: parameters.slice(1) }];
  }
  if (readsInput(options)) return command.input.text === null ? [] : [{ kind: 'text', text: command.input.text }];
  const path = resolvePath(first?.text ?? '', command.cwd, shell.home);
  const text = path === null ? null : (shell.files.get(path)?.text ?? null);
  return text === null ? [] : [{ kind: 'text', text, parameters, isSameShell: isSourced }];
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
