import { describe, expect, test } from 'vitest';
import { isRival, pinKindOf, withPinnedPart } from './pins.ts';

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
    'pluggy.py',
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
  ])('of %s a part does', (path) => {
    expect(pinKindOf(path)).toBe('part');
  });

  test.each(['src/a.js', 'src/latest.py', 'src/contest/a.ts', 'src/ab-test/a.ts', 'attestation.go', 'README.md'])(
    '%s is the work itself',
    (path) => {
      expect(pinKindOf(path)).toBeNull();
    },
  );
});

describe('withPinnedPart', () => {
  const json = (fields: object): string => JSON.stringify(fields);

  test('of a package.json a new dependency is no change', () => {
    const before = json({ scripts: { test: 'vitest' }, dependencies: {} });
    const now = json({ dependencies: { a: '1' }, scripts: { test: 'vitest' } });
    expect(withPinnedPart('package.json', now, before)).toBeNull();
  });

  test('a script that was changed is as it was, and a new dependency stays', () => {
    const before = json({ scripts: { test: 'vitest' } });
    const now = json({ scripts: { test: 'true' }, dependencies: { a: '1' } });
    expect(JSON.parse(withPinnedPart('package.json', now, before) ?? '')).toEqual({
      scripts: { test: 'vitest' },
      dependencies: { a: '1' },
    });
  });

  test('of a pyproject.toml only the sections of checks are', () => {
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
  ])('%s is taken out', (_what, planted) => {
    const before = '[project]\nname = "a"\n';
    expect(withPinnedPart('pyproject.toml', `${before}\n${planted}`, before)).toBe(before);
  });

  test.each([
    ['before the first heading', 'tool.pytest.ini_options.addopts = "-p x"\n[project]\nname = "a"\n'],
    ['in another section', '[project]\nname = "a"\nentry-points.pytest11.x = "x"\n'],
    ['as what is installed', '[project]\nname = "a"\n"pytest @ file:///fake",\n'],
  ])('a key that says as much %s is taken out', (_where, now) => {
    const before = '[project]\nname = "a"\n';
    expect(withPinnedPart('pyproject.toml', now, before)).toBe(before);
  });

  test('of a Cargo.toml, where packages of the start come from; a new one is free', () => {
    const before = '[package]\nname = "a"\n\n[dev-dependencies]\nsame = "1.0"\n';
    const now = before
      .replace('"a"', '"a"\nautotests = false')
      .replace('"1.0"', '{ path = "fake" }\nown = { path = "own" }');
    expect(withPinnedPart('Cargo.toml', now, before)).toBe(`${before}own = { path = "own" }\n`);
    const free = `${before}own = { path = "own" }\n`;
    expect(withPinnedPart('Cargo.toml', free, before)).toBeNull();
  });

  test('any other file has no part', () => {
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
