/** Finds the files of the start that decide about the checks because commands, settings or scripts name them. */
import { posix } from 'node:path';
import {
  decidesByName,
  importedBy,
  type NamedFile,
  namedByCommand,
  namedByFlags,
  namedByMakefile,
  namedBySettings,
  patternOf,
  startedBy,
} from '../core/proof/pins/named-files.ts';
import { isSetupScript, RUNNER_KEYS } from '../core/proof/pins/pinned-json.ts';
import { pinKindOf } from '../core/proof/pins/pins.ts';
import { isFields, parsedJson } from '../core/text/json.ts';
import type { ProofTrees } from './trees.ts';

export interface FilesRun {
  /** True for files that exist, or would be read if they did. */
  has(path: string): boolean;
  /** Words of the commands: no package may bring a program with such a name. */
  readonly programs: ReadonlySet<string>;
}

export interface RunBy {
  readonly files: readonly string[];
  readonly commands: readonly string[];
  /** The folder in which the commands run. */
  readonly subfolder?: string;
  /** The command that prepares a fresh clone; null if it is a package manager's. */
  readonly setup?: string | null;
}

/** `at`: the tree that the loop began with. */
export async function filesRun(
  trees: ProofTrees,
  at: string,
  { files, commands, subfolder = '', setup }: RunBy,
): Promise<FilesRun> {
  const known = new Set(files);
  const found = new Set<string>();
  const wanted = new Set<string>();
  const lines = [...commands];
  const take = (named: readonly NamedFile[], folder: string): string[] => {
    const taken = named.flatMap(({ word, how }) => {
      const exact = how === 'by name' ? [] : pathsOf(word, folder, files, known);
      const isProgram = how === 'by name' || (how === 'started' && exact.length === 0);
      const paths = isProgram ? programsNamed(word, files) : exact;
      const isRead = how === 'target' || (how === 'always' && paths.length === 0 && /[./]/.test(word));
      if (isRead) for (const path of candidates(word, folder)) wanted.add(path);
      return how === 'always' || how === 'started' || (how === 'by name' && decidesByName(word)) ? paths : [];
    });
    // A file that is pinned in part, such as package.json, is not pinned as a whole: every new dependency changes it.
    const fresh = taken.filter((path) => !found.has(path) && pinKindOf(path) !== 'part');
    for (const path of fresh) found.add(path);
    return fresh;
  };
  const text = async (path: string): Promise<string> => (await trees.entry(at, path))?.content.toString('utf8') ?? '';
  const named = [...commands.flatMap((line) => [...namedByCommand(line), ...startedBy(line)]), ...namedBySetup(setup)];
  const programs = take(named, subfolder);
  const parts: string[] = [];
  const scripts: PackageScript[] = [];
  const callers: string[] = [...commands, setup ?? ''];
  for (const path of files.filter((one) => !one.includes('node_modules/') && (READ.test(one) || TASKS.test(one)))) {
    const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
    const content = await text(path);
    if (TASKS.test(path)) callers.push(content);
    if (path.endsWith('package.json')) {
      const inside = inPackage(content, folder);
      scripts.push(...inside.scripts);
      callers.push(...inside.settings);
      programs.push(...take(inside.settings.flatMap(namedBySettings), folder));
    } else if (MAKEFILE.test(path)) take(namedByMakefile(content), folder);
    else if (READ.test(path)) {
      parts.push(...take(importedBy(content), folder));
      take((PYTHON.test(path) ? namedByFlags : namedBySettings)(content), folder);
    }
  }
  lines.push(...scripts.map(({ line }) => line));
  // Whatever any script loads decides; what it runs may be the product, so there only what the checks reach counts.
  for (const { line, folder } of scripts) programs.push(...take(loadedBy(line), folder));
  const others = new Set(scripts);
  const takeCalled = (texts: readonly string[]): void => {
    for (const script of scriptsCalled([...others], texts)) {
      others.delete(script);
      const { name, line, folder } = script;
      programs.push(...take(namedByCommand(line, isSetupScript(name)), folder));
    }
  };
  takeCalled(callers);
  const asked = new Set(commands.flatMap(wordsIn));
  for (const { name, line, folder } of scripts) if (asked.has(name)) programs.push(...take(startedBy(line), folder));
  // A program of the start may run another one that decides.
  for (const path of programs) {
    if (pinKindOf(path) === null || SCRIPT.test(path)) {
      const inside = (await text(path)).slice(0, LONGEST);
      programs.push(
        ...take(
          inside.split('\n').flatMap((line) => programsOf(line)),
          '',
        ),
      );
      takeCalled([inside]);
    }
  }
  // Files that settings import may import others.
  for (const path of parts) parts.push(...take(importedBy(await text(path)), posix.dirname(path)));
  for (const path of found) wanted.delete(path);
  return { has: (path) => found.has(path) || wanted.has(path), programs: new Set(lines.flatMap(wordsOf)) };
}

const READ =
  /(?:^|\/)(?:package\.json|(?:GNU)?[Mm]akefile|[^/]+\.mk|tsconfig[\w.-]*\.json|(?:eslint|babel|playwright|vitest|vite|jest|ava|karma)\.(?:config|workspace)\.\w+|\.(?:mocharc|nycrc|c8rc|babelrc|eslintrc)(?:\.\w+)?|\.?pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml)$/;
const PYTHON = /\.(?:ini|cfg|toml)$/;
/** Files that may call the scripts of a package, apart from the scripts themselves. */
const TASKS =
  /(?:^|\/)(?:(?:GNU)?[Mm]akefile|[^/]+\.mk|\.?[Jj]ustfile|[Tt]askfile(?:\.dist)?\.ya?ml|[Rr]akefile|(?:[Gg]runt|[Gg]ulp)file\.\w+|(?:turbo|nx|project)\.json|tox\.ini|noxfile\.py)$/;
const MAKEFILE = /(?:^|\/)(?:(?:GNU)?[Mm]akefile|[^/]+\.mk)$/;
const SCRIPT = /\.(?:sh|bash|zsh|bat|ps1)$|(?:^|\/)[^./]+$/;
/** Only this much of a program is read. */
const LONGEST = 100_000;

const namedBySetup = (setup: string | null | undefined): NamedFile[] =>
  setup == null ? [] : namedByCommand(setup, true);

const loadedBy = (line: string): NamedFile[] => namedByCommand(line).filter(({ how }) => how === 'always');

/** Programs that a shell script calls by path. */
const programsOf = (line: string): NamedFile[] =>
  namedByCommand(line.trim()).filter(({ word, how }) => how === 'by name' && word.includes('/'));

interface PackageScript {
  readonly name: string;
  readonly line: string;
  /** The folder of its package. */
  readonly folder: string;
}

/** `settings`: those of test runners and other tools. */
function inPackage(text: string, folder: string): { readonly settings: string[]; readonly scripts: PackageScript[] } {
  const fields = parsedJson(text);
  if (!isFields(fields)) return { settings: [], scripts: [] };
  const entries = isFields(fields.scripts) ? Object.entries(fields.scripts) : [];
  const scripts = entries.flatMap(([name, line]) => (typeof line === 'string' ? [{ name, line, folder }] : []));
  return { settings: RUNNER_KEYS.filter((key) => key in fields).map((key) => JSON.stringify(fields[key])), scripts };
}

/** The scripts that a setup runs automatically, those that these texts may call, and those that these call in turn. */
function scriptsCalled(scripts: readonly PackageScript[], texts: readonly string[]): ReadonlySet<PackageScript> {
  const words = new Set(texts.flatMap(wordsIn));
  const isNamed = (name: string): boolean =>
    words.has(name) || [...words].some((word) => /:\*+$/.test(word) && name.startsWith(word.replace(/\*+$/, '')));
  // `npm test` has many spellings.
  const isCalled = ({ name }: PackageScript): boolean =>
    /^(?:pre|post)?test$/.test(name) ||
    isSetupScript(name) ||
    isNamed(name) ||
    isNamed(name.replace(/^(?:pre|post)/, ''));
  const called = new Set<PackageScript>();
  for (let fresh = scripts.filter(isCalled); fresh.length > 0; ) {
    for (const script of fresh) {
      called.add(script);
      for (const word of wordsIn(script.line)) words.add(word);
    }
    fresh = scripts.filter((script) => !called.has(script) && isCalled(script));
  }
  return called;
}

/** Also `npm:lint` and `check:*`, as programs that run several scripts take them. */
const wordsIn = (text: string): string[] => text.split(/[\s;&|()[\]{}"'`,]+/).map((word) => word.replace(/^npm:/, ''));

/** The word as a path: relative to the folder of the file that names it, or to the top. */
function candidates(word: string, folder: string): string[] {
  if (word.startsWith('/') || word.startsWith('-') || !/^[\w./@-]+$/.test(word)) return [];
  const paths = [posix.normalize(posix.join(folder, word)), posix.normalize(word)];
  return [...new Set(paths)].filter((path) => !path.startsWith('..') && path !== '.');
}

const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.json', '/index.js'];

function pathsOf(word: string, folder: string, files: readonly string[], known: ReadonlySet<string>): string[] {
  const pattern = patternOf(posix.normalize(posix.join(folder, word)));
  if (pattern !== null) return files.filter((path) => pattern.test(path));
  return candidates(word, folder)
    .flatMap((path) => ENDINGS.map((ending) => path + ending))
    .filter((path) => known.has(path));
}

/** In any folder: a script may change the directory first. */
function programsNamed(word: string, files: readonly string[]): string[] {
  const program = word.replace(/^(?:\.\/)+/, '');
  return files.filter((path) => path === program || path.endsWith(`/${program}`));
}

const wordsOf = (line: string): string[] => line.split(/[\s;&|()"'=]+/).filter((word) => /^[\w.-]+$/.test(word));
