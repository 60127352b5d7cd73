/**
 * Code in another language on the command line (`python -c`, `node -e` …). It is not understood; where it calls a shell,
 * removes trees or writes files, its string literals are taken for what it does that to.
 */
import { type Command, plainArg } from '../command.ts';
import { readOptions } from '../options.ts';
import { decodeEscapes } from './escapes.ts';
import { type Inner, lines } from './inner.ts';
import { isInterpreter } from './shells.ts';

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
  const opensForWriting = /\bopen\b/.test(names) && literals.some((text) => WRITING_MODE.test(text));
  const targets = pathsIn(literals);
  const callsOn = (...words: string[]) => targets.map((path) => callOf(...words, path));
  return [
    ...(SHELL_CALLS.test(names) ? lines([...literals, literals.join(' ')].filter((text) => text.includes(' '))) : []),
    ...(isAwk(command.name) ? commandsInAwk(code) : []),
    ...(TREE_DELETIONS.test(names) ? callsOn('rm', '-rf') : []),
    ...(FILE_DELETIONS.test(names) ? callsOn('rm') : []),
    ...(opensForWriting || WRITES.test(names) ? callsOn('tee') : []),
  ];
}

/** `home + '/x'` and `join(home, 'x')` stand for each of their parts below the home folder. */
function pathsIn(literals: readonly string[]): string[] {
  const paths = literals.filter((text) => /^[~/.]/.test(text) && !/[\s\0]/.test(text));
  if (!paths.includes('~') || literals.length === 1) return paths;
  const isPart = (text: string) => text !== '~';
  const below = literals.filter(isPart).map((text) => `~/${text}`);
  return below.length === 0 ? paths : [...paths.filter(isPart), ...below];
}

function isAwk(name: string): boolean {
  return /^[gmn]?awk$/.test(name);
}

/** `print | "x"`, `"x" | getline`, `print > "file"`. */
function commandsInAwk(code: string): Inner[] {
  const run = [...code.matchAll(/\|&?\s*"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline/g)];
  const written = [...code.matchAll(/\bprintf?\b[^>|;}]*>>?\s*"((?:[^"\\]|\\.)*)"/g)];
  return [
    ...lines(run.map(([, after, before]) => decodeEscapes(after ?? before ?? ''))),
    ...written.map(([, path = '']) => callOf('tee', path)),
  ];
}

function callOf(...words: string[]): Inner {
  return { kind: 'call', args: words.map(plainArg) };
}
