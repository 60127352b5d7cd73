/**
 * Code in another language on the command line (`python -c`, `node -e` …). It is not understood; where it calls a shell,
 * removes trees or writes files, its string literals are taken for what it does that to.
 */
import { type Command, plainArg, UNKNOWN } from '../command.ts';
import { readOptions } from '../options.ts';
import { decodeEscapes } from './escapes.ts';
import { isInterpreter } from './shells.ts';
import type { Inner } from './unfold.ts';

const SHELL_CALLS =
  /\b(?:os\.system|os\.popen|os\.exec\w*|subprocess|child_process|execSync|exec|execFileSync|spawn|spawnSync|system|popen|shell_exec|passthru|do shell script|Open3|Kernel|qx|pty)\b|`/;
const TREE_DELETIONS =
  /\b(?:rmtree|rmSync|rmdirSync|rm|rm_rf|rm_r|removedirs|removeSync|remove_tree|remove_entry|emptyDirSync)\b/;
const FILE_DELETIONS = /\b(?:unlink|unlinkSync|remove|rmdir)\b/;
const WRITES = /\b(?:write\w*|appendFile\w*|append|copy\w*|cpSync|rename\w*|move|symlink\w*|file_put_contents)\b/;
/** `open(path, 'w')`, in whatever language. */
const WRITING_MODE = /^(?:[wax]b?t?\+?|>>?)$/;
const LITERAL = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/gs;
/** The names of modules are no paths. */
const IMPORTS = /\brequire\s*\(?\s*(['"])[^'"]*\1\s*\)?|\bfrom\s+(['"])[^'"]*\2/g;
const HOME_CALLS =
  /\b(?:Path\.home\(\)|os\.homedir\(\)|homedir\(\)|Dir\.home|process\.env\.HOME|os\.environ\[['"]HOME['"]\])/g;

/** Null if it brings no code. */
export function codeOf(command: Command): string | null {
  if (isAwk(command.name)) return readOptions(command.args, { letters: 'vFf' }).operands[0]?.text ?? null;
  if (!isInterpreter(command.name)) return null;
  const options = readOptions(command.args, {
    letters: 'cerpIWXm',
    names: ['eval', 'print', 'require'],
    isPrefix: true,
  });
  const given = options.values('c', 'e', 'r', 'p', 'eval', 'print').map(({ text }) => text);
  if (given.length > 0) return given.join('\n');
  const [first, second] = options.operands;
  if (command.name === 'deno' && first?.text === 'eval') return second?.text ?? null;
  const readsInput = first === undefined || first.text === '-';
  return readsInput && !options.has('m') ? command.input.text : null;
}

export function commandsInCode(raw: string, command: Command): Inner[] {
  const code = raw.replaceAll(IMPORTS, ' ').replaceAll(HOME_CALLS, "'~'");
  const literals = [...code.matchAll(LITERAL)].map(([, double, single, back]) =>
    decodeEscapes(double ?? single ?? back ?? ''),
  );
  const names = code.replaceAll(LITERAL, (all) => (all.startsWith('`') ? all : '""'));
  const inner: Inner[] = [];
  if (SHELL_CALLS.test(names)) {
    const lines = [...literals, literals.join(' ')].filter((text) => text.includes(' '));
    inner.push(...lines.map((text): Inner => ({ kind: 'text', text, isGuess: true })));
  }
  if (isAwk(command.name)) inner.push(...commandsInAwk(code));
  const paths = literals.filter((text) => /^[~/.]/.test(text) && !/[\s\0]/.test(text));
  // `home + '/x'` and `join(home, 'x')` are told as the home folder alone: their parts are not put together.
  const joinedHome =
    paths.includes('~') && literals.length > 1
      ? literals.filter((text) => text !== '~').map((text) => `~/${text}`)
      : [];
  const targets = joinedHome.length > 0 ? [...paths.filter((text) => text !== '~'), ...joinedHome] : paths;
  if (TREE_DELETIONS.test(names)) inner.push(...targets.map((path) => call('rm', '-rf', path)));
  if (FILE_DELETIONS.test(names)) inner.push(...targets.map((path) => call('rm', path)));
  const opensForWriting = /\bopen\b/.test(names) && literals.some((text) => WRITING_MODE.test(text));
  if (opensForWriting || WRITES.test(names)) inner.push(...targets.map((path) => call('tee', path)));
  return inner;
}

function isAwk(name: string): boolean {
  return /^[gmn]?awk$/.test(name);
}

/** `print | "x"`, `"x" | getline`, `print > "file"`. */
function commandsInAwk(code: string): Inner[] {
  const run = [...code.matchAll(/\|&?\s*"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline/g)];
  const written = [...code.matchAll(/\bprintf?\b[^>|;}]*>>?\s*"((?:[^"\\]|\\.)*)"/g)];
  return [
    ...run.map(
      ([, after, before]): Inner => ({ kind: 'text', text: decodeEscapes(after ?? before ?? ''), isGuess: true }),
    ),
    ...written.map(([, path = '']) => call('tee', path)),
  ];
}

function call(...words: string[]): Inner {
  return { kind: 'call', args: words.map((text) => plainArg(text.replaceAll('\0', UNKNOWN))) };
}
