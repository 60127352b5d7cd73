import { describe, expect, test } from 'vitest';
import { pinKindOf, withPinnedPart } from './pins.ts';

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
    '.ralph/settings.json',
    'packages/a/.ralph/settings.local.json',
  ])('%s controls tests', (path) => {
    expect(pinKindOf(path)).toBe('control');
  });

  test.each(['package.json', 'packages/a/package.json', 'package-lock.json', 'pyproject.toml', 'setup.cfg'])(
    'of %s a part does',
    (path) => {
      expect(pinKindOf(path)).toBe('part');
    },
  );

  test.each(['src/a.js', 'src/latest.py', 'src/contest/a.ts', 'attestation.go', 'README.md'])(
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
    ['blanks and quotes in the heading', ' [ tool . "pytest" . ini_options ]\naddopts = "-k name"\n'],
  ])('%s is taken out', (_what, planted) => {
    const before = '[project]\nname = "a"\n';
    expect(withPinnedPart('pyproject.toml', `${before}\n${planted}`, before)).toBe(before);
  });

  test('any other file has no part', () => {
    expect(withPinnedPart('a.txt', 'a', 'b')).toBeNull();
  });
});
