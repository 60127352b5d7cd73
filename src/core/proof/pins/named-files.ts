/**
 * Which files a command, a Makefile or a test runner's settings name: what they load or run decides about the checks as
 * much as they do, whatever its name. Pure: takes texts and returns words; callers know whether such a file exists.
 */

/**
 * `always`: loaded or run, so it decides whatever its name. `started`: a script that the check starts; decides as well.
 * `by name`: a program, which decides only if its name says so. `target`: a target of a Makefile.
 */
export interface NamedFile {
  readonly word: string;
  readonly how: 'always' | 'started' | 'by name' | 'target';
}

/** The files that a shell line names. `isSetup`: it can change every other program, so all that it runs decides. */
export function namedByCommand(line: string, isSetup = false): NamedFile[] {
  const programs = [...line.matchAll(PROGRAM)].map(([, word = '']) => {
    return { word, how: isSetup ? 'always' : 'by name' } as const;
  });
  // Doctests are in the product itself.
  const tests = line.includes('doctest') ? [] : [...line.matchAll(RUNNER)].flatMap(([, rest = '']) => pathsIn(rest));
  return [...programs, ...[...loadedBy(line), ...tests].map((word) => ({ word, how: 'always' }) as const)];
}

/**
 * The scripts that a check itself starts, whatever their names: it passes if they exit with 0. A script whose output is
 * piped into another program, or that is given to an interpreter, may be the product.
 */
export function startedBy(line: string): NamedFile[] {
  const parts = line.split(/(\|\||&&|[;&|])/);
  return parts.flatMap((part, at) => {
    if (at % 2 === 1 || parts[at + 1] === '|') return [];
    const [, isShell, word = ''] = STARTED.exec(part) ?? [];
    const isScript = isShell !== undefined || (word.includes('/') && SCRIPT.test(word));
    return isScript ? [{ word, how: 'started' } as const] : [];
  });
}

const STARTED =
  /^\s*[({]?\s*(?:\w+=\S*\s+)*(?:(?:env|exec|time|timeout\s+\S+)\s+(?:\w+=\S*\s+)*)?((?:\S*\/)?(?:ba|da|z|k)?sh\s+(?:-[a-z]+\s+)*)?([\w./@-]+)/;
const SCRIPT = /\.(?:sh|bash|zsh|bat|cmd|ps1)$|(?:^|\/)[^./][^./]*$|(?:^|\/)manage\.py$/;

/** Does a program with this name decide about checks? What runs the product itself is the agent's to change. */
export function decidesByName(program: string): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1);
  return DECIDES.test(name.replaceAll(/([a-z\d])([A-Z])/g, '$1-$2'));
}

/** Only as a separate word: `checkout`, `latest` and `inspect` do not count. */
const DECIDES =
  /(?<![a-z])(?:all|run|unit|self|smoke|type|link|spell)?(?:tests?|testing|specs?|check(?:s|er|ing)?|verify|verification|validat(?:e|ion)|lint(?:er|ing|s)?|ci|e2e)(?:all)?(?![a-z])/i;

/** The program of a command, or the script that an interpreter is given. */
const PROGRAM =
  /(?:^|[;&|(]\s*)(?:\w+=\S*\s+)*(?:(?:\S*\/)?(?:\w*sh|node|python3?|ruby|perl|php|tsx|ts-node|bun)\s+(?:-\S+\s+)*)?([\w./-]+)/g;

/** The files that flags have a runner load, or read its settings from. */
function loadedBy(line: string): string[] {
  const short = [...line.matchAll(WITH_SHORT_FLAGS)].flatMap(([call]) => [...call.matchAll(SHORT)]);
  const words = [...short, ...` ${line}`.matchAll(LONG)].map(([, word = '']) => unquoted(word));
  return words.flatMap((word) => [word, ...pythonFiles(word)]);
}

const LONG =
  /\s--(?:import|require|loader|experimental-loader|config|config-file|rcfile|project|file|makefile|preload|env-file|setup-files?|global-?setup|reporter|test-reporter|runner)(?:=|\s+)("[^"]+"|'[^']+'|[^\s;&|"']+)/g;
/** Only for these programs: for others, the short flags mean something else. */
const WITH_SHORT_FLAGS =
  /(?:\b(?:node|tsx|ts-node|mocha|nyc|tape|jest|vitest|eslint|pytest|py\.test|g?make|tsc|ruff|mypy|flake8|pylint)|addopts)\b[^;&|]*/g;
const SHORT = /[\s"'=]-[rcpf]\s*=?\s*("[^"]+"|'[^']+'|[^\s;&|"']+)/g;

/** The arguments of a test runner: files, or patterns of them. */
const RUNNER = /\b(?:node\b[^;&|]*?\s--test|mocha|pytest|py\.test|bats|rspec|ava|tape|prove)(?=\s)([^;&|]*)/g;

const pathsIn = (text: string): string[] =>
  (text.match(/"[^"]+"|'[^']+'|\S+/g) ?? [])
    .map(unquoted)
    .filter((word) => /[./*]/.test(word) && !word.startsWith('-'));

const unquoted = (word: string): string => word.replaceAll(/^["']|["']$/g, '');

/** Python can load a module by its name. */
function pythonFiles(word: string): string[] {
  if (!/^[A-Za-z_][\w.]*$/.test(word)) return [];
  const path = word.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__init__.py`];
}

/** What it includes, what its recipes run, and its targets: if a file has a target's name, make runs nothing for it. */
export function namedByMakefile(text: string): NamedFile[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line): NamedFile[] => {
      const [, included] = /^\s*[-s]?include\s+([^#]+)/.exec(line) ?? [];
      if (included !== undefined) return wordsOf(included).map((word) => ({ word, how: 'always' }));
      if (line.startsWith('\t')) return namedByCommand(line.replace(/^\t\s*[@+-]*\s*/, ''));
      const [, targets] = /^([^\s#:=][^#:=]*?)\s*::?(?!=)/.exec(line) ?? [];
      return targets === undefined ? [] : wordsOf(targets).map((word) => ({ word, how: 'target' }));
    });
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => /^[\w./-]+$/.test(word));

/** Only flags in a Python runner's settings: their other keys can name any file, such as the README. */
export const namedByFlags = (text: string): NamedFile[] =>
  text.split('\n').flatMap((line) => loadedBy(line).map((word) => ({ word, how: 'always' }) as const));

/** What a runner's settings load, in any format. Other paths in them mostly belong to the product. */
export function namedBySettings(text: string): NamedFile[] {
  const values = [...text.matchAll(LOADING)].map(([, value = '']) => value);
  const quoted = values.flatMap((value) => [...value.matchAll(/["'`]([^"'`\n]+)["'`]/g)].map(([, word = '']) => word));
  const plain = values.flatMap((value) => value.match(/[^\s"'`,[\]{}]+/g) ?? []);
  const loaded = [...quoted, ...plain].map((word) => {
    return { word: word.replace(/^<rootDir>\//, './'), how: 'always' } as const;
  });
  return [...loaded, ...importedBy(text), ...namedByFlags(text)];
}

/** What a settings file, or a file that it imports, imports itself. */
export function importedBy(text: string): NamedFile[] {
  const words = [...text.matchAll(IMPORTED)].map(([, word = '']) => word).filter((word) => !PRODUCT.test(word));
  return words.map((word) => ({ word, how: 'always' }));
}

/** Relative imports. Those of the product are left out: a plugin's settings may import the plugin itself. */
const IMPORTED = /(?:\bfrom\s+|\bimport\s+|\b(?:require(?:\.resolve)?|import)\()["'](\.{1,2}\/[^"']+)["']/g;
const PRODUCT = /(?:^|\/)(?:src|lib|dist|app|packages)\/|(?:^|\/)(?:index|main|package)(?:\.\w+)?$/;

/** A key in JSON, JavaScript or YAML, followed by a string, a list or a table. */
const LOADING =
  /\b(?:setupFiles\w*|globalSetup|globalTeardown|reporters?|runner|testRunner|environment|testEnvironment|snapshotSerializers|snapshotEnvironment|resolver|preset|require|import|loader|spec|file|extends|extension|transform)["']?\s*:\s*(\[[^\]]*\]|\{[^}]*\}|["'`][^"'`\n]+["'`]|(?:\n\s*-[^\n]*)+|[^\s"'`[{][^\n]*)/g;

/** The word as a pattern for paths if it is a glob; null for a plain path. */
export function patternOf(word: string): RegExp | null {
  if (!/[*?{]/.test(word)) return null;
  const source = word
    .replaceAll(/[.+^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*\*\/|\*\*|\*|\?|\{|\}|,/g, (glob) => GLOBS[glob] ?? glob);
  try {
    return new RegExp(`^${source}$`);
  } catch {
    // Unbalanced braces.
    return null;
  }
}

const GLOBS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '{': '(?:',
  '}': ')',
  ',': '|',
};
