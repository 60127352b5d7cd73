/** `make` with a makefile whose text is known: from stdin, or written by the same command. */
import { type Command, UNKNOWN } from '../command.ts';
import { readOptions } from '../options.ts';
import { resolvePath } from '../paths.ts';
import type { Shell } from './shell-state.ts';

const DEFAULT = ['GNUmakefile', 'makefile', 'Makefile'];
/** A line of a recipe, behind its tab or behind `target: ;`. */
const RECIPE = /^(?:\t[@+-]*|[^\t#=]*:[^=;]*;\s*[@+-]*)(.*)$/;
const SHELL_CALL = /\$\(shell\s+([^()]*)\)/g;
const LONGEST_LINE = 2000;

export function commandsOfMake(command: Command, shell: Shell): string[] {
  const options = readOptions(command.args, {
    letters: 'fCjlIo',
    names: ['file', 'makefile', 'directory', 'eval', 'jobs', 'include-dir'],
  });
  const folder = options
    .values('C', 'directory')
    .reduce<string | null>((cwd, { text }) => resolvePath(text, cwd, shell.home), command.cwd);
  const named = options.values('f', 'file', 'makefile').map(({ text }) => text);
  const texts = (named.length > 0 ? named : DEFAULT).map((path) => {
    if (path === '-' || path === '/dev/stdin') return command.input.text;
    const resolved = resolvePath(path, folder, shell.home);
    return resolved === null ? null : (shell.files.get(resolved)?.text ?? null);
  });
  const given = [...texts, ...options.values('eval').map(({ text }) => text)];
  return given.flatMap((text) => (text === null ? [] : linesOfMakefile(text)));
}

function linesOfMakefile(text: string): string[] {
  const lines = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.length <= LONGEST_LINE);
  return lines.flatMap((line) => {
    const recipe = RECIPE.exec(line)?.[1];
    const called = [...line.matchAll(SHELL_CALL)].map(([, inner = '']) => inner);
    return (recipe === undefined ? called : [recipe, ...called]).map(asShell);
  });
}

/** `$$x` is the shell's own, `$(x)` and `$x` are make's. */
function asShell(line: string): string {
  return line.replaceAll(/\$(\$|\([^()]*\)|\{[^{}]*\}|.)/g, (_all, what: string) => (what === '$' ? '$' : UNKNOWN));
}
