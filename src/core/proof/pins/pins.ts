/**
 * Which files decide whether checks pass, apart from the work itself: tests, and what controls how they run. An agent
 * that cannot make a test pass could change one of these instead. Pure: takes and returns paths and texts.
 */
import { goModPart, withGoModPart } from './pinned-go-mod.ts';
import { isOthers, jsonPart, NO_PACKAGES, type PackagesOfStart, withJsonPart } from './pinned-json.ts';
import { requirementsPart, withLockLines, withLockPart, withRequirements } from './pinned-lock.ts';
import { rustTests, withRustTests } from './pinned-rust.ts';
import { type About, sectionsOf, withSections } from './pinned-sections.ts';

/**
 * `tests`: new ones may be added. `control`: the whole file, even a new one. `part`: only the part that is about
 * checks, because a package.json changes with every dependency.
 */
export type PinKind = 'tests' | 'control' | 'part';

export function pinKindOf(path: string): PinKind | null {
  const name = fileName(path);
  if (CACHE.test(path)) return null;
  const isTest = TEST_FOLDER.test(path) || (TEST_FILE.test(name) && !DESCRIPTION.test(name));
  if (isTest && (name.endsWith('.rs') || CASES.test(path))) return 'tests';
  if (CONTROL_FIRST.test(name)) return 'control';
  if (partOf(path) !== null) return 'part';
  if ([...SETTINGS, ...BUILDS, ...PROGRAMS].some((pattern) => pattern.test(name)) || CONTROL_PATH.test(path))
    return 'control';
  return isTest && !ROUTE.test(path) ? 'tests' : null;
}

/** It has the name of a test, but may belong to the product, such as a command `test`: its content decides. */
export function mayBeProduct(path: string): boolean {
  if (!SOURCES.test(path)) return false;
  const name = fileName(path);
  return TEST_FOLDER.test(path) ? COMMANDS.test(path) && !TEST_FILE.test(name) : PRODUCT_FILE.test(name);
}

/** A runner may pick it up in any folder. */
export const hasNameOfTest = (path: string): boolean => TEST_FILE.test(fileName(path));

/** Does the text look like tests, in any language? */
export const holdsTests = (text: string): boolean => TEST_CALLS.test(text);

/** In a project without tests, the agent may add what runs them, but not what decides which programs are run at all. */
export const mayBeFirst = (path: string): boolean =>
  !(CONTROL_PATH.test(path) || PROGRAMS.some((pattern) => pattern.test(fileName(path))));

/** Files that a new package of the project may bring for itself. */
export const isOfPackage = (path: string): boolean =>
  !CONTROL_PATH.test(path) && SETTINGS.some((pattern) => pattern.test(fileName(path)));

/**
 * The file with its pinned part as at the start; null if that is unchanged. `before` is null for a new file; if the
 * result is empty, the file must go.
 */
export function withPinnedPart(
  path: string,
  now: string,
  before: string | null,
  start: PackagesOfStart = NO_PACKAGES,
): string | null {
  const part = partOf(path);
  if (part === null) return null;
  const pinned = part.put(now, before, start);
  return part.read(pinned, start) === part.read(now, start) ? null : pinned;
}

/** Is it in a folder of tests? Whatever is new there is treated like new tests. */
export const isInTests = (path: string): boolean => TEST_FOLDER.test(path);

/** Does it mix unit tests and product code? A setup may create such files, and a list of all of them says nothing. */
export const isMixed = (path: string): boolean => path.endsWith('.rs') && pinKindOf(path) === 'part';

/** Would a tool read this new file instead of one of the start, or in addition to it? */
export function isRival(path: string, files: readonly string[]): boolean {
  const folder = path.slice(0, path.length - fileName(path).length);
  return files.some(
    (other) =>
      other.startsWith(folder) && toolOf(fileName(other)) === toolOf(fileName(path)) && pinKindOf(other) === 'control',
  );
}

/** `mocha` for `.mocharc.yml`, `make` for `Makefile` and `GNUmakefile`. */
const toolOf = (name: string): string =>
  /^[a-z]+/.exec(name.toLowerCase().replace(/^\.?(?:gnu)?/, ''))?.[0].replace(/rc$/, '') ?? name;

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Caches of test runners. Python does not read them in a clean checkout. */
const CACHE = /(?:^|\/)(?:__pycache__|\.(?:pytest|mypy|ruff)_cache)\//;

/** Our settings, and what a setup installs: if it were committed, it would be used instead. */
const CONTROL_PATH = new RegExp(
  [
    String.raw`(?:^|/)\.ralph/settings(?:\.local)?\.json$`,
    String.raw`(?:^|/)(?:node_modules|\.venv|venv|site-packages|\.yarn|\.husky)(?:/|$)`,
    String.raw`(?:^|/)\.cargo/config(?:\.toml)?$`,
    String.raw`(?:^|/)(?:\.mvn|gradle/wrapper)/`,
    String.raw`\.(?:egg|dist)-info/`,
    String.raw`^[^/]+\.pth$`,
    // Patches are applied to what a setup installs, and caches stand for results.
    String.raw`(?:^|/)patches/[^/]+\.(?:patch|diff)$`,
    String.raw`(?:^|/)\.(?:turbo|nx|wireit|task)/`,
  ].join('|'),
  'i',
);

const TEST_FOLDER = new RegExp(
  [
    String.raw`(?:^|/)(?:tests?|__tests?__|__mocks__|e2e|__snapshots__|testdata|fixtures|__fixtures__)/`,
    String.raw`(?:^|/)(?:unit|integration|functional|acceptance|system|smoke|regression|e2e)[-_]?tests?/`,
    String.raw`(?:^|/)tests?[-_](?:data|utils?|helpers?|fixtures?|support|cases|resources)/`,
    // These folders can contain product code, except for what their runners look for.
    String.raw`(?:^|/)specs?/(?:.*/)?(?:support|helpers?|factories|shared[-_]\w+)/`,
    String.raw`(?:^|/)features/(?:.*/)?(?:steps|step_definitions)/`,
    String.raw`(?:^|/)t/lib/`,
  ].join('|'),
  'i',
);
/** Data that tests read, whatever its name. */
const CASES =
  /(?:^|\/)(?:testdata|(?:__)?fixtures(?:__)?|__snapshots__|tests?[-_](?:data|fixtures?|cases|resources)|(?:tests?|specs?)\/(?:.*\/)?(?:data|cases|resources|samples|golden|expected))\//i;
const TEST_FILE = new RegExp(
  [
    String.raw`\.(?:test|spec)\.[\w.]+$`,
    String.raw`^tests?\.\w+$`,
    String.raw`^test-.*\.[cm]?[jt]sx?$`,
    String.raw`[-_.]tests?\.[cm]?[jt]sx?$`,
    String.raw`^test_.*\.py$`,
    String.raw`_test\.(?:py|go|rb|exs|dart|c|cc|cpp|rs)$`,
    String.raw`_spec\.rb$|[-_]spec\.[cm]?[jt]sx?$|^(?:spec|rails|test)_helper\.\w+$`,
    String.raw`(?:Test|Tests|IT|Spec)\.(?:java|kt|scala|groovy|cs|php|swift)$|Spec\.[cm]?[jt]sx?$`,
    String.raw`\.(?:snap|bats|feature|t)$`,
  ].join('|'),
);
/** Describes an interface, such as api.spec.json. */
const DESCRIPTION = /\.spec\.(?:json|ya?ml|md)$/;

/** A page of Next.js. */
const ROUTE =
  /(?:^|\/)app\/(?:.*\/)?tests?\/(?:.*\/)?(?:page|route|layout|loading|error|template|default|not-found)\.[jt]sx?$/;
const SOURCES = /(?:^|\/)(?:src|app|lib|bin|cmd|commands?)\//;
const COMMANDS = /(?:^|\/)commands?\/(?:.*\/)?tests?\//;
const PRODUCT_FILE = /^tests?\.\w+$|[-_]tests?\.[cm]?[jt]sx?$|(?:Test|Tests|IT|Spec)\.\w+$/;
const TEST_CALLS =
  /(?<!\bfunction\s+|[.\w])(?:test|it|describe|suite|context)(?:\.\w+)*\s*\(\s*(?:["'`]|[\w.]+\s*,)|\bassert|\bexpect\s*\(|@\w*Test\b|@test\b|#\[(?:\w+::)*\w*test|\bdef test|TestCase|junit|scalatest|kotest|Specification|XCTest|\bTEST(?:_\w)?\s*\(|TestBed|require\.context/;

/** Settings of runners and linters. */
const SETTINGS: readonly RegExp[] = [
  /^(?:vitest|vite|jest|ava|karma|playwright(?:-ct)?|cypress|babel|wdio|prettier|stylelint|nightwatch|web-test-runner|codecept)\.(?:config|conf|setup|workspace)\.[\w.]+$/,
  /^\.(?:mocharc|babelrc|eslintrc|nycrc|c8rc|swcrc|taprc|prettierrc|stylelintrc)(?:\..+)?$|^eslint\.config\.\w+$|^setupTests\.\w+$/,
  /^\.(?:eslint|prettier|stylelint)ignore$|^tsconfig[\w.-]*\.json$|^jsconfig\.json$|^biome\.jsonc?$|^\.oxlintrc\.json$|^jasmine\.json$/,
];

/** Settings of Python tools, where one file counts for all packages, and of build tools for any language. */
const BUILDS: readonly RegExp[] = [
  /^conftest\.py$|^\.?pytest\.ini$|^tox\.ini$|^noxfile\.py$|^\.?pytest\.toml$|^\.coveragerc$/,
  /^\.?(?:ruff\.toml|flake8|pylintrc|mypy\.ini)$|^pyrightconfig\.json$|^\.isort\.cfg$|^\.pre-commit-config\.ya?ml$/,
  /^(?:turbo|nx|lerna|angular)\.json$|^moon\.yml$|^deno\.jsonc$/,
  /^(?:GNU)?[Mm]akefile(?:\.am)?$|^\.?[Jj]ustfile$|^[Tt]askfile(?:\.dist)?\.ya?ml$|^[Rr]akefile(?:\.rb)?$|\.rake$|^(?:[Gg]runt|[Gg]ulp)file\.\w+$/,
  /^.+\.mk$|^build\.rs$|^CMakeLists\.txt$|^pom\.xml$|^(?:build|settings)\.gradle(?:\.kts)?$|^gradle\.properties$/,
  /^go\.work(?:\.sum)?$|^setup\.py$|^pnpm-workspace\.yaml$|\.tsbuildinfo$|^\.(?:eslint|stylelint|prettier)cache$/,
  /^phpunit\.xml(?:\.dist)?$|^\.rspec$|^\.golangci\.(?:ya?ml|toml|json)$|^\.rubocop(?:_todo)?\.yml$|^nextest\.toml$|^\.?clippy\.toml$/,
];

/** What decides which programs and modules are found, and what starts them. */
const PROGRAMS: readonly RegExp[] = [
  /^(?:site|user)customize\.\w+$|^\.npmrc$|^\.pnpmfile\.cjs$|^\.pnp\.\w+$|^\.yarnrc(?:\.yml)?$|^bunfig\.toml$/,
  /^rust-toolchain(?:\.toml)?$|^\.(?:node|python|ruby|go)-version$|^\.nvmrc$|^\.tool-versions$|^\.?mise\.toml$/,
  /^gradlew(?:\.bat)?$|^mvnw(?:\.cmd)?$/,
];

/** Files whose extension would otherwise make them pinned in part. */
const CONTROL_FIRST = /^build\.rs$/;

interface Part {
  read(text: string, start: PackagesOfStart): string | null;
  put(now: string, before: string | null, start: PackagesOfStart): string;
}

const whole = (text: string): string => text;
const JSON_PART: Part = { read: jsonPart, put: withJsonPart };
const LOCK_PART: Part = { read: whole, put: withLockPart };
const OTHER_LOCK: Part = { read: whole, put: withLockLines };
const REQUIREMENTS: Part = { read: requirementsPart, put: withRequirements };
const GO_MOD: Part = { read: goModPart, put: withGoModPart };
const RUST: Part = { read: rustTests, put: withRustTests };

const PARTS: readonly (readonly [name: RegExp, part: Part])[] = [
  [/(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/, LOCK_PART],
  [/(?:^|\/)(?:yarn|pnpm|uv|poetry|pdm|Cargo|Gemfile|composer|bun)[.-]lock(?:\.yaml)?$/, OTHER_LOCK],
  [/(?:^|\/)(?:package|deno|composer)\.json$/, JSON_PART],
  [/(?:^|\/)go\.mod$/, GO_MOD],
  [
    /(?:^|\/)(?:[\w-]+[-_.])?(?:requirements|constraints)(?:[-_.][\w-]+)*\.(?:txt|in)$|(?:^|\/)requirements\/[^/]+\.txt$/,
    REQUIREMENTS,
  ],
  [/\.rs$/, RUST],
];

function partOf(path: string): Part | null {
  const sections = /(?:^|\/)(?:pyproject\.toml|setup\.cfg|Cargo\.toml)$/.test(path) ? SECTIONS : null;
  return sections ?? PARTS.find(([name]) => name.test(path))?.[1] ?? null;
}

/** Pinned headings of pyproject.toml, setup.cfg and Cargo.toml. */
const HEADING = new RegExp(
  [
    String.raw`^(?:tool|test|lib|bench|workspace|replace|build-system|options\.entry_points|entry_points)$`,
    String.raw`^(?:project\.entry-points|profile\.(?:test|dev)|(?:workspace\.)?lints|patch)\b`,
    String.raw`^tool[.:](?:pytest|coverage|ruff|mypy|pylint|flake8|pyright|tox|nox|black|isort|poe|taskipy)\b`,
    String.raw`^tool\.(?:hatch\.envs|pdm\.scripts|poetry\.plugins|uv\.sources)\b`,
    String.raw`^(?:coverage:|flake8|mypy\b)`,
  ].join('|'),
);

const aboutChecks = (start: PackagesOfStart): About => {
  const isCalled = (name: string): boolean => isOthers(name, start);
  return {
    heading: HEADING,
    line(heading, line) {
      // A key with escapes could be any key.
      if (/^[^=#]*\\/.test(line) && (heading === null || heading === 'project')) return true;
      if (heading === null) return /^["']?(?:tool|project|build-system)["']?\s*[.=]/.test(line);
      const isTable = /^(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)$/.test(heading);
      const isScripts = isTable || /^["']?(?:gui-)?scripts["']?\s*[.=]/.test(line);
      if (isScripts && (isTable || heading === 'project' || heading === 'tool.poetry'))
        return [...line.matchAll(/([\w.-]+)["']?\s*=/g)].some(
          ([, name = '']) => isCalled(name) || isCalled(name.slice(name.lastIndexOf('.') + 1)),
        );
      if (heading === 'project') return /^["']?entry-points["']?\s*[.=]|@\s*(?:file:|git\+file:)/.test(line);
      if (heading === 'package') return /^(?:auto(?:tests|bins|benches|examples)|build)\s*=/.test(line);
      if (heading === 'bin' || heading === 'example') return /^(?:test|doctest|harness)\s*=/.test(line);
      return /(?:^|[.-])dependencies$/.test(heading) && /\b(?:path|git|registry|package)\s*=/.test(line);
    },
  };
};

const SECTIONS: Part = {
  read: (text, start) => sectionsOf(text, aboutChecks(start)),
  put: (now, before, start) => withSections(now, before, aboutChecks(start)),
};
