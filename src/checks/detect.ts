/** Detects how a project's work is checked from its files: one small detector for each kind of project. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFields, parsedJson } from '../core/text/json.ts';
import { nullOn, readPlain } from '../process/files.ts';

/** The files in the root of a project. */
export interface ProjectFiles {
  readonly names: readonly string[];
  /** Null if it is not a regular file. */
  read(name: string): string | null;
}

/** The commands, and the file that led to them. */
export interface FoundChecks {
  readonly commands: readonly string[];
  readonly file: string;
}

/** A result with `tests` is preferred over one that only lints. */
interface Found {
  readonly file: string;
  readonly tests?: readonly string[];
  readonly others?: readonly string[];
}

type Detector = (project: ProjectFiles) => Found | null;

/** What a project itself declares comes before the defaults of its language. */
export function detectChecks(project: ProjectFiles): FoundChecks | null {
  const found = DETECTORS.flatMap((detect) => detect(project) ?? []).filter(({ tests = [], others = [] }) => {
    return tests.length + others.length > 0;
  });
  const best = found.find(({ tests = [] }) => tests.length > 0) ?? found[0];
  return best === undefined ? null : { commands: [...(best.tests ?? []), ...(best.others ?? [])], file: best.file };
}

export const detectChecksIn = (folder: string): FoundChecks | null => detectChecks(filesIn(folder));

export function filesIn(folder: string): ProjectFiles {
  const names = nullOn(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], () => readdirSync(folder)) ?? [];
  return { names, read: (name) => readPlain(join(folder, name)) };
}

const DETECTORS: readonly Detector[] = [
  packageScripts,
  deno,
  makefile,
  justfile,
  composer,
  byFile('go.mod', ['go test ./...'], ['go vet ./...']),
  byFile('Cargo.toml', ['cargo test']),
  python,
  byWrapper('pom.xml', 'mvnw', 'mvn', '-q test'),
  byWrapper('build.gradle', 'gradlew', 'gradle', 'test'),
  byWrapper('build.gradle.kts', 'gradlew', 'gradle', 'test'),
  ruby,
  byFile('mix.exs', ['mix test']),
  byFile('Package.swift', ['swift test']),
  byFile(/\.(?:slnx?|csproj)$/, ['dotnet test']),
];

function byFile(which: string | RegExp, tests: readonly string[], others: readonly string[] = []): Detector {
  return ({ names }) => {
    const file = names.find((name) => (typeof which === 'string' ? name === which : which.test(name)));
    return file === undefined ? null : { file, tests, others };
  };
}

/** Uses the project's wrapper script if there is one. */
function byWrapper(file: string, wrapper: string, program: string, task: string): Detector {
  return ({ names }) => {
    if (!names.includes(file)) return null;
    return { file, tests: [`${names.includes(wrapper) ? `./${wrapper}` : program} ${task}`] };
  };
}

/** Package managers by lock file. */
const PACKAGE_MANAGERS = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
} as const;

function packageScripts({ names, read }: ProjectFiles): Found | null {
  const file = 'package.json';
  const fields = fieldsOf(read(file));
  const scripts = isFields(fields.scripts) ? fields.scripts : {};
  const locked = Object.entries(PACKAGE_MANAGERS).find(([lock]) => names.includes(lock))?.[1];
  const [, named] = /^(pnpm|yarn|bun)@/.exec(String(fields.packageManager)) ?? [];
  const manager = locked ?? named ?? 'npm';
  const call = (script: string): string[] => {
    const line = scripts[script];
    // A script that watches never ends; the one that `npm init` writes always fails.
    if (typeof line !== 'string' || /--watch(?!\S*=false)|no test specified/.test(line)) return [];
    const isTest = script === 'test' && manager !== 'bun';
    // It watches as well, unless this is set.
    const quiet = /\breact-scripts test\b/.test(line) ? 'CI=true ' : '';
    return [`${quiet}${manager} ${isTest ? script : `run ${script}`}`];
  };
  return { file, tests: call('test'), others: ['lint', 'typecheck', 'type-check'].flatMap(call) };
}

function deno({ names, read }: ProjectFiles): Found | null {
  const file = names.find((name) => /^deno\.jsonc?$/.test(name));
  if (file === undefined) return null;
  const { tasks } = fieldsOf(read(file));
  const call = (task: string): string => `deno ${isFields(tasks) && task in tasks ? `task ${task}` : task}`;
  return { file, tests: [call('test')], others: [call('lint')] };
}

function makefile({ names, read }: ProjectFiles): Found | null {
  const file = ['GNUmakefile', 'makefile', 'Makefile'].find((name) => names.includes(name));
  if (file === undefined) return null;
  const rules = (read(file) ?? '').matchAll(/^([^\s:#=][^:#=]*)::?(?!=)/gm);
  return targets(
    file,
    'make',
    [...rules].flatMap(([, rule = '']) => rule.trim().split(/\s+/)),
  );
}

function justfile({ names, read }: ProjectFiles): Found | null {
  const file = names.find((name) => /^\.?justfile$/i.test(name));
  if (file === undefined) return null;
  const recipes = (read(file) ?? '').matchAll(/^@?([\w-]+)[^:\n]*:(?!=)/gm);
  return targets(
    file,
    'just',
    [...recipes].map(([, recipe = '']) => recipe),
  );
}

/** `check` is a synonym of `test`, or includes it. */
function targets(file: string, program: string, known: readonly string[]): Found {
  const [test] = ['test', 'check'].filter((target) => known.includes(target));
  const others = known.includes('lint') ? [`${program} lint`] : [];
  return { file, tests: test === undefined ? [] : [`${program} ${test}`], others };
}

function composer({ names, read }: ProjectFiles): Found | null {
  const file = 'composer.json';
  if (!names.includes(file)) return null;
  const { scripts } = fieldsOf(read(file));
  const call = (script: string): string[] => (isFields(scripts) && script in scripts ? [`composer ${script}`] : []);
  const hasPhpunit = names.some((name) => /^phpunit\.xml(?:\.dist)?$/.test(name));
  const [test = hasPhpunit ? 'vendor/bin/phpunit' : undefined] = call('test');
  return { file, tests: test === undefined ? [] : [test], others: call('lint') };
}

const PYTHON_FILES = [
  'pyproject.toml',
  'setup.cfg',
  'pytest.ini',
  'tox.ini',
  'requirements-dev.txt',
  'requirements.txt',
];
const PYTHON_TEST_FILE = /^(?:conftest|test_.*|.*_test)\.py$/;
const PYTHON_TESTS = /^(?:tests?|(?:conftest|test_.*|.*_test)\.py)$/;
const PYTHON_RUNNERS = { 'uv.lock': 'uv run ', 'poetry.lock': 'poetry run ', 'pdm.lock': 'pdm run ' } as const;

function python({ names, read }: ProjectFiles): Found | null {
  const there = PYTHON_FILES.filter((name) => names.includes(name));
  // In a project of another language, a folder `tests` says nothing about Python.
  const tests = names.find((name) => (there.length > 0 ? PYTHON_TESTS : PYTHON_TEST_FILE).test(name));
  const [first = tests] = there;
  if (first === undefined) return names.includes('manage.py') ? django('manage.py') : null;
  const within = Object.entries(PYTHON_RUNNERS).find(([lock]) => names.includes(lock))?.[1] ?? '';
  const mentions = (pattern: RegExp) => there.find((name) => name === 'pytest.ini' || pattern.test(read(name) ?? ''));
  const hasRuff = names.includes('ruff.toml') || /^\[tool\.ruff\b/m.test(read('pyproject.toml') ?? '');
  const others = hasRuff ? [`${within}ruff check .`] : [];
  const pytest = mentions(/\bpytest\b/);
  if (pytest !== undefined) return { file: pytest, tests: [`${within}pytest`], others };
  if (/^\[testenv\b/m.test(read('tox.ini') ?? '')) return { file: 'tox.ini', tests: [`${within}tox`], others };
  if (names.includes('manage.py')) return { ...django('manage.py'), others };
  // pytest also runs unittest tests.
  return tests === undefined ? { file: first, others } : { file: tests, tests: [`${within}pytest`], others };
}

const django = (file: string): Found => ({ file, tests: ['python3 manage.py test'] });

function ruby({ names, read }: ProjectFiles): Found | null {
  const [gemfile, rakefile] = ['Gemfile', 'Rakefile'].map((name) => (names.includes(name) ? name : undefined));
  const within = gemfile === undefined ? '' : 'bundle exec ';
  const others = names.includes('.rubocop.yml') ? [`${within}rubocop`] : [];
  const hasSpecs = names.includes('.rspec') || /\brspec\b/.test(read('Gemfile') ?? '');
  if (gemfile !== undefined && hasSpecs) return { file: gemfile, tests: [`${within}rspec`], others };
  const hasTask = /\bTestTask\b|\btask\b\W*test\b|Rails\.application\.load_tasks/.test(read('Rakefile') ?? '');
  if (rakefile !== undefined && hasTask) return { file: rakefile, tests: [`${within}rake test`], others };
  return gemfile === undefined ? null : { file: gemfile, others };
}

function fieldsOf(text: string | null): Readonly<Record<string, unknown>> {
  const value = parsedJson(text?.replace(/^\uFEFF/, '') ?? '');
  return isFields(value) ? value : {};
}
