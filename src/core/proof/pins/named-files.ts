/**
 * Which files a command, a Makefile or the settings of a test runner name: what they load or run decides about the checks as
 * much as they do, whatever it is called. Pure: texts in, words out; whether there is such a file, others know.
 */

/** `always`: it is loaded, or run, whatever its name; `started`: if it was there. `by name`: a program, of which only some decide. */
export interface NamedFile {
  readonly word: string;
  readonly how: 'always' | 'started' | 'by name' | 'target';
}

/** Of a shell line. `isSetup`: what it runs can change every other program, and so all of it decides. */
export function namedByCommand(line: string, isSetup = false): NamedFile[] {
  const programs = [...line.matchAll(PROGRAM)].map(([, word = '']) => {
    return { word, how: isSetup ? 'always' : 'by name' } as const;
  });
  // Documentation that is tested stands in the product.
  const tests = line.includes('doctest') ? [] : [...line.matchAll(RUNNER)].flatMap(([, rest = '']) => pathsIn(rest));
  return [...programs, ...[...loadedBy(line), ...tests].map((word) => ({ word, how: 'always' }) as const)];
}

/**
 * The scripts that a check itself starts, whatever they are called: it passes if they exit with 0. One whose output goes on to
 * another program, or that an interpreter is given, may be the product.
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

/** A word of its own: `checkout`, `latest` and `inspect` decide about nothing. */
const DECIDES =
  /(?<![a-z])(?:all|run|unit|self|smoke|type|link|spell)?(?:tests?|testing|specs?|check(?:s|er|ing)?|verify|verification|validat(?:e|ion)|lint(?:er|ing|s)?|ci|e2e)(?:all)?(?![a-z])/i;

/** The program of a command, or what an interpreter is given to run. */
const PROGRAM =
  /(?:^|[;&|(]\s*)(?:\w+=\S*\s+)*(?:(?:\S*\/)?(?:\w*sh|node|python3?|ruby|perl|php|tsx|ts-node|bun)\s+(?:-\S+\s+)*)?([\w./-]+)/g;

/** What a flag has a runner load, or read its settings from. */
function loadedBy(line: string): string[] {
  const short = [...line.matchAll(WITH_SHORT_FLAGS)].flatMap(([call]) => [...call.matchAll(SHORT)]);
  const words = [...short, ...` ${line}`.matchAll(LONG)].map(([, word = '']) => unquoted(word));
  return words.flatMap((word) => [word, ...pythonFiles(word)]);
}

const LONG =
  /\s--(?:import|require|loader|experimental-loader|config|config-file|rcfile|project|file|makefile|preload|env-file|setup-files?|global-?setup|reporter|test-reporter|runner)(?:=|\s+)("[^"]+"|'[^']+'|[^\s;&|"']+)/g;
/** Of other programs, such a flag means something else. */
const WITH_SHORT_FLAGS =
  /(?:\b(?:node|tsx|ts-node|mocha|nyc|tape|jest|vitest|eslint|pytest|py\.test|g?make|tsc|ruff|mypy|flake8|pylint)|addopts)\b[^;&|]*/g;
const SHORT = /[\s"'=]-[rcpf]\s*=?\s*("[^"]+"|'[^']+'|[^\s;&|"']+)/g;

/** What a test runner is given: files, or patterns of them. */
const RUNNER = /\b(?:node\b[^;&|]*?\s--test|mocha|pytest|py\.test|bats|rspec|ava|tape|prove)(?=\s)([^;&|]*)/g;

const pathsIn = (text: string): string[] =>
  (text.match(/"[^"]+"|'[^']+'|\S+/g) ?? [])
    .map(unquoted)
    .filter((word) => /[./*]/.test(word) && !word.startsWith('-'));

const unquoted = (word: string): string => word.replaceAll(/^["']|["']$/g, '');

/** Python loads a module by its name. */
function pythonFiles(word: string): string[] {
  if (!/^[A-Za-z_][\w.]*$/.test(word)) return [];
  const path = word.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__init__.py`];
}

/** What it includes, what its recipes run, and its targets: where a file bears the name of one, nothing is run for it. */
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

/** Flags in the settings of a Python runner; another key of theirs may name a file, too, such as the README. */
export const namedByFlags = (text: string): NamedFile[] =>
  text.split('\n').flatMap((line) => loadedBy(line).map((word) => ({ word, how: 'always' }) as const));

/** The settings of a runner, in whatever language: what they load. Other paths in them are mostly of the product. */
export function namedBySettings(text: string): NamedFile[] {
  const values = [...text.matchAll(LOADING)].map(([, value = '']) => value);
  const quoted = values.flatMap((value) => [...value.matchAll(/["'`]([^"'`\n]+)["'`]/g)].map(([, word = '']) => word));
  const plain = values.flatMap((value) => value.match(/[^\s"'`,[\]{}]+/g) ?? []);
  const loaded = [...quoted, ...plain].map((word) => {
    return { word: word.replace(/^<rootDir>\//, './'), how: 'always' } as const;
  });
  return [...loaded, ...importedBy(text), ...namedByFlags(text)];
}

/** What a file of settings is made of, or one that it imports. */
export function importedBy(text: string): NamedFile[] {
  const words = [...text.matchAll(IMPORTED)].map(([, word = '']) => word).filter((word) => !PRODUCT.test(word));
  return words.map((word) => ({ word, how: 'always' }));
}

/** What a file of settings is made of. One that imports the product tests it, as that of a plugin does. */
const IMPORTED = /(?:\bfrom\s+|\bimport\s+|\b(?:require(?:\.resolve)?|import)\()["'](\.{1,2}\/[^"']+)["']/g;
const PRODUCT = /(?:^|\/)(?:src|lib|dist|app|packages)\/|(?:^|\/)(?:index|main|package)(?:\.\w+)?$/;

/** A key of JSON, JavaScript or YAML, and a text, a list or a table behind it. */
const LOADING =
  /\b(?:setupFiles\w*|globalSetup|globalTeardown|reporters?|runner|testRunner|environment|testEnvironment|snapshotSerializers|snapshotEnvironment|resolver|preset|require|import|loader|spec|file|extends|extension|transform)["']?\s*:\s*(\[[^\]]*\]|\{[^}]*\}|["'`][^"'`\n]+["'`]|(?:\n\s*-[^\n]*)+|[^\s"'`[{][^\n]*)/g;

/** As a pattern over paths, for the words that are one; null for a plain path. */
export function patternOf(word: string): RegExp | null {
  if (!/[*?{]/.test(word)) return null;
  const source = word
    .replaceAll(/[.+^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*\*\/|\*\*|\*|\?|\{|\}|,/g, (glob) => GLOBS[glob] ?? glob);
  try {
    return new RegExp(`^${source}$`);
  } catch {
    // Braces that do not match.
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
