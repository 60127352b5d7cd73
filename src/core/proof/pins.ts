/**
 * Which files decide whether checks pass, apart from the work itself: tests, and what controls how they are run. An agent
 * that cannot make a test pass can still change one of these. Pure: paths and texts in, paths and texts out.
 */
import { jsonPart, withJsonPart } from './pinned-json.ts';
import { withLockPart } from './pinned-lock.ts';
import { sectionsOf, withSections } from './pinned-sections.ts';

/**
 * `tests`: to add one is free. `control`: the file as a whole, also one that appears. `part`: only what of it is about
 * checks: a package.json is changed with every dependency.
 */
export type PinKind = 'tests' | 'control' | 'part';

export function pinKindOf(path: string): PinKind | null {
  const name = fileName(path);
  if (CACHE.test(path)) return null;
  if (partOf(name) !== null) return 'part';
  if (CONTROL.some((pattern) => pattern.test(name)) || CONTROL_PATH.test(path)) return 'control';
  return TEST_FOLDER.test(path) || TEST_FILE.test(name) ? 'tests' : null;
}

/** The file with the part of it that is about checks as it was at the start; null where that is as it was. */
export function withPinnedPart(path: string, now: string, before: string | null): string | null {
  const part = partOf(fileName(path));
  if (part === null) return null;
  const pinned = part.put(now, before);
  return part.read(pinned) === part.read(now) ? null : pinned;
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** What test runners leave behind. Python does not read it in a clean checkout. */
const CACHE = /(?:^|\/)(?:__pycache__|\.(?:pytest|mypy|ruff)_cache)\//;

/** Our settings, and what a setup installs: one that is committed would be run in its place. */
const CONTROL_PATH = new RegExp(
  [
    String.raw`(?:^|/)\.ralph/settings(?:\.local)?\.json$`,
    String.raw`(?:^|/)(?:node_modules|\.venv|venv|site-packages|\.yarn|\.husky)(?:/|$)`,
    String.raw`(?:^|/)\.cargo/config(?:\.toml)?$`,
    String.raw`\.(?:egg|dist)-info/`,
    // A module in the project is found before the one that is installed.
    String.raw`^(?:_?pytest|unittest|nose2?)(?:\.py$|/)`,
    String.raw`^[^/]+\.pth$`,
  ].join('|'),
);

const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__|__mocks__|e2e|__snapshots__|testdata)\/|^(?:specs?|t|features)\//i;
const TEST_FILE = new RegExp(
  [
    String.raw`\.(?:test|spec)\.[\w.]+$`,
    String.raw`^tests?\.\w+$`,
    String.raw`^test-.*\.[cm]?[jt]sx?$`,
    String.raw`[-_.]tests?\.[cm]?[jt]sx?$`,
    String.raw`^test_.*\.py$`,
    String.raw`_test\.(?:py|go|rb|exs|dart|c|cc|cpp|rs)$`,
    String.raw`_spec\.rb$`,
    String.raw`(?:Test|Tests|IT|Spec)\.(?:java|kt|scala|groovy|cs|php|swift)$`,
    String.raw`\.(?:snap|bats)$`,
  ].join('|'),
);

const CONTROL: readonly RegExp[] = [
  // Python
  /^conftest\.py$|^\.?pytest\.ini$|^tox\.ini$|^noxfile\.py$|^(?:site|user)customize\.py$|^\.?pytest\.toml$|^\.coveragerc$/,
  /^\.?(?:ruff\.toml|flake8|pylintrc|mypy\.ini)$|^pyrightconfig\.json$/,
  // JavaScript and TypeScript
  /^(?:vitest|vite|jest|ava|karma|playwright|cypress|babel|wdio)\.(?:config|conf|setup|workspace)\.[\w.]+$/,
  /^\.(?:mocharc|babelrc|eslintrc|nycrc|c8rc|npmrc|swcrc)(?:\..+)?$|^eslint\.config\.\w+$|^\.eslintignore$|^setupTests\.\w+$/,
  /^tsconfig[\w.-]*\.json$|^biome\.jsonc?$|^\.oxlintrc\.json$|^(?:turbo|nx|lerna)\.json$|^\.pnpmfile\.cjs$/,
  // What runs commands for a project of any language
  /^(?:GNU)?[Mm]akefile$|^\.?[Jj]ustfile$|^Taskfile\.ya?ml$|^Rakefile$|^(?:Grunt|gulp)file\.\w+$/,
  /^.+\.mk$|^build\.rs$|^CMakeLists\.txt$|^pom\.xml$|^build\.gradle(?:\.kts)?$|^bunfig\.toml$|^\.yarnrc(?:\.yml)?$/,
  /^phpunit\.xml(?:\.dist)?$|^\.rspec$|^\.golangci\.ya?ml$|^\.rubocop\.yml$|^nextest\.toml$/,
];

interface Part {
  read(text: string): string | null;
  put(now: string, before: string | null): string;
}

const JSON_PART: Part = { read: jsonPart, put: withJsonPart };
const SECTIONS: Part = {
  read: (text) => sectionsOf(text, ABOUT_CHECKS),
  put: (now, before) => withSections(now, before, ABOUT_CHECKS),
};

const LOCK_PART: Part = { read: (text) => text, put: withLockPart };

function partOf(name: string): Part | null {
  if (name === 'package-lock.json' || name === 'npm-shrinkwrap.json') return LOCK_PART;
  if (name === 'package.json' || name === 'deno.json' || name === 'composer.json') return JSON_PART;
  return name === 'pyproject.toml' || name === 'setup.cfg' || name === 'Cargo.toml' ? SECTIONS : null;
}

/** Headings of pyproject.toml, setup.cfg and Cargo.toml. */
const ABOUT_CHECKS =
  /^(?:tool$|project\.entry-points\.pytest11$|test$|lib$|bench$|profile\.test\b|tool[.:](?:pytest|coverage|ruff|mypy|pylint|flake8|pyright|tox|nox|black|isort|poe|taskipy|hatch\.envs|pdm\.scripts)\b|coverage:|flake8|mypy\b)/;
