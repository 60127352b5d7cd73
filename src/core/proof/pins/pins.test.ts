import { describe, expect, test } from 'vitest';
import { holdsTests, isOfPackage, isRival, mayBeFirst, mayBeProduct, pinKindOf, withPinnedPart } from './pins.ts';

describe('pinKindOf', () => {
  test.each([
    'test/a.js',
    'src/__tests__/a.ts',
    'src/a.test.tsx',
    'src/a.spec.ts',
    'test_a.py',
    'pkg/a_test.go',
    'spec/a_spec.rb',
    'src/ATest.java',
    'src/__snapshots__/a.snap',
    'pkg/testdata/golden',
    'fixtures/cases.json',
    'integration-tests/a.js',
    'test_data/a.txt',
    'crates/a/tests/it.rs',
    'src/tests.rs',
    'src/greet_test.rs',
    'features/greet.feature',
    'features/steps/greet.py',
    't/greet.t',
    't/lib/Help.pm',
    'spec/greetSpec.js',
    'spec/spec_helper.rb',
    'packages/a/spec/helpers/all.js',
    'packages/a/spec/support/jasmine.js',
    'src/test/java/Helper.java',
    'test/fixtures/app/package.json',
    'test/data/go.mod',
    'testdata/pyproject.toml',
  ])('%s is a test', (path) => {
    expect(pinKindOf(path)).toBe('tests');
  });

  test.each([
    'conftest.py',
    'tests/conftest.py',
    'pytest.ini',
    'pytest.toml',
    'tox.ini',
    'src/sitecustomize.py',
    'evil.pth',
    'vitest.config.mts',
    'vite.config.ts',
    'jest.config.js',
    'jest.setup.ts',
    'src/setupTests.ts',
    '.mocharc.yml',
    'tsconfig.json',
    'packages/a/tsconfig.build.json',
    'biome.json',
    'eslint.config.mjs',
    '.npmrc',
    'Makefile',
    'justfile',
    'Rakefile',
    'setup.py',
    'go.work',
    'rust-toolchain.toml',
    'build.rs',
    '.nvmrc',
    'patches/vitest+4.0.0.patch',
    '.turbo/cache/a.tar.zst',
    'x.DIST-INFO/entry_points.txt',
    'gradlew',
    'mvnw',
    'gradle/wrapper/gradle-wrapper.properties',
    '.mvn/maven.config',
    'settings.gradle.kts',
    'angular.json',
    '.prettierignore',
    'prettier.config.js',
    '.stylelintrc.json',
    'clippy.toml',
    'deno.jsonc',
    '.ralph/settings.json',
    'packages/a/.ralph/settings.local.json',
  ])('%s controls tests', (path) => {
    expect(pinKindOf(path)).toBe('control');
  });

  test.each([
    'package.json',
    'packages/a/package.json',
    'package-lock.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'pyproject.toml',
    'setup.cfg',
    'requirements-dev.txt',
    'requirements/dev.txt',
    'go.mod',
    'Cargo.toml',
    'src/lib.rs',
  ])('a part of %s controls tests', (path) => {
    expect(pinKindOf(path)).toBe('part');
  });

  test.each([
    'features/greet.js',
    't/de.json',
    'specs/openapi.yaml',
    'api.spec.json',
    'app/test/page.tsx',
    'pluggy/a.md',
    'src/a.js',
    'src/latest.py',
    'src/contest/a.ts',
    'src/ab-test/a.ts',
    'attestation.go',
    'README.md',
  ])('%s is the work itself', (path) => {
    expect(pinKindOf(path)).toBeNull();
  });
});

describe('a name that is used for tests and for the product', () => {
  test.each([
    'src/commands/test.js',
    'src/commands/test/run.js',
    'src/PodSpec.java',
    'src/main/java/KeySpec.kt',
    'lib/speed-test.ts',
    'src/test.rs',
  ])('%s can be part of the product', (path) => {
    expect([pinKindOf(path), mayBeProduct(path)]).toEqual(['tests', true]);
  });

  test.each([
    'test.js',
    'test/a.js',
    'src/test/helper.js',
    'src/test/java/GreetTest.java',
    'src/commands/test/run.test.js',
    'src/a.test.js',
    'src/test_a.py',
    'src/a_test.go',
  ])('%s cannot', (path) => {
    expect([pinKindOf(path), mayBeProduct(path)]).toEqual(['tests', false]);
  });

  test.each([
    "test('greets', () => {});",
    'it.each`x`; describe.skip(`greet`, () => {});',
    'import assert from "node:assert";',
    'class A {\n  @Test\n  fun greets() {}\n}',
    '#[tokio::test]\nasync fn greets() {}',
    'def test_greets(): pass',
    'class GreetSpec extends Specification {}',
  ])('%j contains tests', (text) => {
    expect(holdsTests(text)).toBe(true);
  });

  test.each([
    'export function test(options) { run(options); }',
    'if (/a/.test(text)) emit();',
    'public class PodSpec { int replicas; }',
  ])('%j contains none', (text) => {
    expect(holdsTests(text)).toBe(false);
  });
});

describe('a new file', () => {
  test.each([
    '.npmrc',
    '.venv/bin/make',
    'node_modules/.bin/node',
    '.cargo/config.toml',
    'sitecustomize.py',
    'gradlew',
  ])('%s decides which programs are run, and is never accepted as the first', (path) => {
    expect([mayBeFirst(path), isOfPackage(path)]).toEqual([false, false]);
  });

  test.each(['tsconfig.json', 'vitest.config.ts', '.eslintrc.json'])(
    '%s can be the first, or that of a new package',
    (path) => {
      expect([mayBeFirst(path), isOfPackage(path)]).toEqual([true, true]);
    },
  );

  test.each(['conftest.py', 'Makefile'])('%s can be the first, but counts for other packages, too', (path) => {
    expect([mayBeFirst(path), isOfPackage(path)]).toEqual([true, false]);
  });
});

describe('withPinnedPart', () => {
  const json = (fields: object): string => JSON.stringify(fields);

  test('a new dependency in a package.json is no change', () => {
    const before = json({ scripts: { test: 'vitest' }, dependencies: {} });
    const now = json({ dependencies: { a: '1' }, scripts: { test: 'vitest' } });
    expect(withPinnedPart('package.json', now, before)).toBeNull();
  });

  test('a changed script is restored, and a new dependency stays', () => {
    const before = json({ scripts: { test: 'vitest' } });
    const now = json({ scripts: { test: 'true' }, dependencies: { a: '1' } });
    expect(JSON.parse(withPinnedPart('package.json', now, before) ?? '')).toEqual({
      scripts: { test: 'vitest' },
      dependencies: { a: '1' },
    });
  });

  test('of a pyproject.toml, only the sections of checks are restored', () => {
    const before = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n';
    expect(withPinnedPart('pyproject.toml', before.replace('"a"', '"b"'), before)).toBeNull();
    const now = before.replace('"a"', '"b"').replace('-q', '-k name');
    expect(withPinnedPart('pyproject.toml', now, before)).toBe(before.replace('"a"', '"b"'));
  });

  test.each([
    ['a plugin that is planted by name', '[project.entry-points.pytest11]\nx = "x"\n'],
    ['one table for all tools', '[tool]\npytest = { ini_options = { addopts = "-k name" } }\n'],
    ['a plugin in a table', '[project.entry-points]\npytest11 = { x = "x" }\n'],
    ['a plugin of setuptools', '[options.entry_points]\npytest11 =\n  x = x\n'],
    ['another program that builds it', '[build-system]\nbuild-backend = "own"\nbackend-path = ["."]\n'],
    ['escapes in the heading', '["\\u0074ool".pytest.ini_options]\naddopts = "-k name"\n'],
    ['blanks and quotes in the heading', ' [ tool . "pytest" . ini_options ]\naddopts = "-k name"\n'],
  ])('%s is removed', (_what, planted) => {
    const before = '[project]\nname = "a"\n';
    expect(withPinnedPart('pyproject.toml', `${before}\n${planted}`, before)).toBe(before);
  });

  test.each([
    ['before the first heading', 'tool.pytest.ini_options.addopts = "-p x"\n[project]\nname = "a"\n'],
    ['in another section', '[project]\nname = "a"\nentry-points.pytest11.x = "x"\n'],
    ['as what is installed', '[project]\nname = "a"\n"pytest @ file:///fake",\n'],
  ])('a key with the same effect %s is removed', (_where, now) => {
    const before = '[project]\nname = "a"\n';
    expect(withPinnedPart('pyproject.toml', now, before)).toBe(before);
  });

  test('of a Cargo.toml, the source of packages of the start is pinned; that of a new one is free', () => {
    const before = '[package]\nname = "a"\n\n[dev-dependencies]\nsame = "1.0"\n';
    const now = before
      .replace('"a"', '"a"\nautotests = false')
      .replace('"1.0"', '{ path = "fake" }\nown = { path = "own" }');
    expect(withPinnedPart('Cargo.toml', now, before)).toBe(`${before}own = { path = "own" }\n`);
    const free = `${before}own = { path = "own" }\n`;
    expect(withPinnedPart('Cargo.toml', free, before)).toBeNull();
  });

  test('a program of a package cannot have the name of one that the checks call', () => {
    const start = { names: new Set<string>(), programs: new Set(['greet-check']) };
    const before = '[project]\nname = "a"\n';
    const pinned = (added: string): string | null =>
      withPinnedPart('pyproject.toml', `${before}${added}`, before, start);
    expect(pinned('\n[project.scripts]\npytest = "a:main"\nown = "a:own"\n')).toBe(
      `${before}\n[project.scripts]\nown = "a:own"\n`,
    );
    for (const taken of [
      'scripts = { greet-check = "a:main" }\n',
      'scripts.pytest = "a:main"\n',
      '\n[tool.poetry.scripts]\n"greet-check" = "a:main"\n',
    ])
      expect(pinned(taken)).not.toContain('a:main');
    expect(pinned('\n[project.scripts]\nown = "a:own"\n')).toBeNull();
  });

  test.each([
    ['lint levels', '[lints.clippy]\nneedless_return = "allow"\n'],
    ['the profile of tests', '[profile.dev]\ndebug-assertions = false\n'],
  ])('of a Cargo.toml, %s', (_what, planted) => {
    const before = '[package]\nname = "a"\n';
    expect(withPinnedPart('Cargo.toml', `${before}\n${planted}`, before)).toBe(before);
  });

  test('of a Cargo.toml, whether a program has tests', () => {
    const before = '[[bin]]\nname = "a"\n';
    expect(withPinnedPart('Cargo.toml', `${before}test = false\n`, before)).toBe(before);
  });

  test('any other file has no pinned part', () => {
    expect(withPinnedPart('a.txt', 'a', 'b')).toBeNull();
  });
});

test.each([
  ['GNUmakefile', ['Makefile'], true],
  ['.mocharc.yml', ['.mocharc.json'], true],
  ['packages/a/Makefile', ['Makefile'], false],
  ['vitest.config.ts', ['vite.config.ts', 'Makefile'], false],
])('%s beside %j would be read in its place: %s', (path, files, is) => {
  expect(isRival(path, files)).toBe(is);
});
