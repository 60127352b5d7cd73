/** What programs do with their arguments: code in other languages, archives, sed scripts, and files that they write. */
import type { Arg, Command, Options } from '../command.ts';
import { hasWord, list, partsOf, plainArg, readOptions, table, textsOf } from '../command.ts';
import { decodeEscapes } from './output.ts';
import { type Inner, lines } from './shell.ts';
import { isInterpreter } from './shells.ts';

const SHELL_CALLS =
  /\b(?:os\.system|os\.popen|os\.exec\w*|subprocess|child_process|execSync|exec|execFileSync|spawn|spawnSync|system|popen|shell_exec|passthru|do shell script|Open3|Kernel|qx|pty)\b|`/;
const TREE_DELETIONS =
  /\b(?:rmtree|rmSync|rmdirSync|rm|rm_rf|rm_r|removedirs|removeSync|remove_tree|remove_entry|emptyDirSync)\b/;
const FILE_DELETIONS = /\b(?:unlink|unlinkSync|remove|rmdir)\b/;
const WRITES = /\b(?:write\w*|appendFile\w*|append|copy\w*|cpSync|rename\w*|move|symlink\w*|file_put_contents)\b/;
/** `open(path, 'w')`, in any language. */
const WRITING_MODE = /^(?:[wax]b?t?\+?|>>?)$/;
const LITERAL = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/gs;
/** Module names are not paths. */
const IMPORTS = /\brequire\s*\(?\s*(['"])[^'"]*\1\s*\)?|\bfrom\s+(['"])[^'"]*\2/g;
const HOME_CALLS =
  /\b(?:Path\.home\(\)|os\.homedir\(\)|homedir\(\)|Dir\.home|process\.env\.HOME|os\.environ\[['"]HOME['"]\])/g;

export function codeOf(command: Command): string | null {
  if (isAwk(command.name)) return readOptions(command.args, '-vFf').operands[0]?.text ?? null;
  if (!isInterpreter(command.name)) return null;
  const options = readOptions(command.args, '-cerpIWXm eval print require', 'leading');
  const given = textsOf(options.values('c', 'e', 'r', 'p', 'eval', 'print'));
  if (given.length > 0) return given.join('\n');
  const [first, second] = options.operands;
  if (command.name === 'deno' && first?.text === 'eval') return second?.text ?? null;
  const readsInput = first === undefined || first.text === '-';
  return readsInput && !options.has('m') ? command.input.text : null;
}

/** Code is not parsed: if it calls a shell, deletes or writes, all its string literals count as targets. */
export function commandsInCode(raw: string, command: Command): Inner[] {
  const code = raw.replaceAll(IMPORTS, ' ').replaceAll(HOME_CALLS, "'~'");
  const literals = [...code.matchAll(LITERAL)].map(([, double, single, back]) =>
    decodeEscapes(double ?? single ?? back ?? ''),
  );
  const names = code.replaceAll(LITERAL, (all) => (all.startsWith('`') ? all : '""'));
  const opensForWriting = /\bopen\b/.test(names) && hasWord(literals, WRITING_MODE);
  const targets = pathsIn(literals);
  const callsOn = (...words: string[]) => targets.map((path) => ({ args: [...words, path].map(plainArg) }));
  return [
    ...(SHELL_CALLS.test(names) ? lines([...literals, literals.join(' ')].filter((text) => text.includes(' '))) : []),
    ...(isAwk(command.name) ? commandsInAwk(code) : []),
    ...(TREE_DELETIONS.test(names) ? callsOn('rm', '-rf') : []),
    ...(FILE_DELETIONS.test(names) ? callsOn('rm') : []),
    ...(opensForWriting || WRITES.test(names) ? callsOn('tee') : []),
  ];
}

/** `home + '/x'` and `join(home, 'x')`: each of the other literals counts as a path in the home folder. */
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
    ...written.map(([, path = '']) => ({ args: ['tee', path].map(plainArg) })),
  ];
}

/** Options of tar whose value is a command. */
const RUN = 'use-compress-program to-command info-script new-volume-script rsh-command';
const TAR = `-fCTXbFHIKLNV file directory files-from exclude-from exclude checkpoint-action transform strip-components ${RUN}`;

/** `--checkpoint-action=exec=x`, `-I x`, `--to-command=x`. */
export function commandsOfTar(command: Command): string[] {
  const options = tarOptions(command);
  const actions = partsOf(options.values('checkpoint-action'), /^exec=(.*)$/s);
  return textsOf([...actions, ...options.values('I', 'F', ...list(RUN))]);
}

/** The folder into which it unpacks; null if it does not unpack, or only into the current folder. */
export function unpacksInto(command: Command): Arg | null {
  const { name, args } = command;
  if (/^(?:g|bsd)?tar$/.test(name)) {
    const options = tarOptions(command);
    if (!options.has('x', 'extract', 'get')) return null;
    // With `-P`, the archive decides where.
    return options.values('C', 'directory').at(-1) ?? (options.has('P', 'absolute-names') ? plainArg('/') : null);
  }
  if (name === 'unzip') return readOptions(args, '-dxP').values('d')[0] ?? null;
  if (name === 'cpio') return readOptions(args, '-DEFHIMOR').values('D')[0] ?? null;
  if (name === 'ditto') return readOptions(args).operands.at(-1) ?? null;
  const into = /^7z[az]?$/.test(name) ? args.find(({ text }) => text.startsWith('-o')) : undefined;
  return into === undefined ? null : { ...into, text: into.text.slice(2) };
}

/** `tar xzf a.tgz`: the first word may lack its dash. */
function tarOptions(command: Command): Options {
  const [first, ...rest] = command.args;
  const isBare = first !== undefined && /^[a-zA-Z]+$/.test(first.text);
  return readOptions(isBare ? [{ ...first, text: `-${first.text}` }, ...rest] : command.args, TAR);
}

/** The optional address before a sed command: `1`, `$`, `/x/`, `1,5`, `!`. */
const ADDRESS = String.raw`(?:(?:\d+|\$|/(?:[^/\n]|\\/)*/)(?:,(?:[+~]?\d+|\$|/(?:[^/\n]|\\/)*/))?\s*!?\s*)?`;
const EXECUTES = new RegExp(String.raw`^\s*${ADDRESS}e(?:\s+(.+))?$`, 's');
const WRITES_FILE = new RegExp(String.raw`^\s*${ADDRESS}[wW]\s*(\S.*)$`, 's');
const SUBSTITUTES = new RegExp(
  String.raw`^\s*${ADDRESS}s([^\s\w\\])(?:(?!\1)[^\\]|\\.)*\1((?:(?!\1)[^\\]|\\.)*)\1([a-zA-Z0-9]*)(?:\s+(.*))?$`,
  's',
);
const LONGEST = 2000;

/** The first operand is the script unless `-e` or `-f` gives one; the others are the input files. */
export function readSed({ args, words }: Command) {
  const others = args.filter(({ text }) => !/^-i./.test(text));
  const options = readOptions(others, '-ef expression file');
  const given = options.values('e', 'expression');
  const isGiven = given.length + options.values('f', 'file').length > 0;
  const scripts = isGiven ? given : options.operands.slice(0, 1);
  // Also split at `;` and `{`: a new command begins after them.
  const lines = scripts.flatMap(({ text }) => (text.length > LONGEST ? [] : [text, ...text.split(/[;\n{}]/)]));
  return {
    files: isGiven ? options.operands : options.operands.slice(1),
    isInPlace: hasWord(words, /^-[a-zA-Z]*i|^--in-place/),
    runs: lines.flatMap(runBy),
    writes: lines.flatMap(writtenBy),
  };
}

function runBy(line: string): string[] {
  const executed = EXECUTES.exec(line);
  if (executed !== null) return executed[1] === undefined ? [] : [executed[1]];
  const [, , replacement = '', flags = ''] = SUBSTITUTES.exec(line) ?? [];
  return flags.includes('e') ? [replacement] : [];
}

function writtenBy(line: string): string[] {
  const [, , , flags = '', file] = SUBSTITUTES.exec(line) ?? [];
  const path = WRITES_FILE.exec(line)?.[1] ?? (flags.endsWith('w') ? file : undefined);
  return path === undefined ? [] : [path];
}

const WRITING = ['>', '>>', '>|', '&>', '&>>', '<>'];

const NAMED = table<(args: readonly Arg[], command: Command) => readonly Arg[]>({
  'rm unlink shred chmod chown': operands(),
  'tee mkdir sponge': operands('-m'),
  truncate: operands('-sr'),
  touch: operands('-dtr'),
  'vi vim nano ed ex': operands('-c'),
  'cp install ln scp rsync': targetOf,
  // A file that is moved away counts as written, too.
  mv: (args) => [...readOptions(args, '-tS target-directory').operands, ...targetOf(args)],
  dd: (args) => partsOf(args, /^of=(.*)$/s),
  'sed gsed': (_args, command) => {
    const { files, isInPlace, writes } = readSed(command);
    return [...(isInPlace ? files : []), ...writes.map(plainArg)];
  },
  'perl ruby': (args) => {
    const options = readOptions(args, '-eEI');
    return options.has('i') ? options.operands : [];
  },
  curl: (args) => readOptions(args, '-oHdXAuFTebwmDcKx output').values('o', 'output'),
  wget: (args) => readOptions(args, '-OPUo output-document').values('O', 'output-document'),
  'find gfind': (args) => args.filter((_, at) => /^-f(?:print0?|printf|ls)$/.test(args[at - 1]?.text ?? '')),
  patch: (args) => readOptions(args, '-pidDFoB').operands.slice(0, 1),
});

export function writesOf(command: Command): string[] {
  // `2>&1` duplicates a stream; `>&file` writes a file.
  const redirected = command.redirections.filter(
    ({ operator, target }) => WRITING.includes(operator) || (operator === '>&' && !/^(?:\d+-?|-)$/.test(target.text)),
  );
  const named = NAMED.get(command.name)?.(command.args, command) ?? [];
  const written = textsOf([...redirected.map(({ target }) => target), ...named]);
  return written.filter((path) => path !== '' && path !== '-');
}

function operands(valued = ''): (args: readonly Arg[]) => readonly Arg[] {
  return (args) => readOptions(args, valued).operands;
}

const TARGET = '-tSmgoe target-directory mode owner group suffix rsh exclude include';

/** The last operand, or the value of `-t`; `ln` with one operand writes to the current folder. */
function targetOf(args: readonly Arg[]): readonly Arg[] {
  const options = readOptions(args, TARGET);
  const into = options.values('t', 'target-directory');
  return into.length > 0 ? into : options.operands.slice(1).slice(-1);
}
