import { describe, expect, test } from 'vitest';
import { jsonPart, withJsonPart } from './pinned-json.ts';

const scripts = (given: Readonly<Record<string, string>>): string => JSON.stringify({ scripts: given });
const pinned = (now: string, before: string | null): unknown => JSON.parse(withJsonPart(now, before));

describe('scripts', () => {
  const before = scripts({ test: 'vitest', lint: 'biome' });

  test('of the start come back, also deleted ones', () => {
    expect(pinned(scripts({ test: 'true' }), before)).toEqual({ scripts: { test: 'vitest', lint: 'biome' } });
  });

  test('that are new stay, wherever they are', () => {
    const now = scripts({ build: 'tsc', test: 'vitest', lint: 'biome' });
    expect(jsonPart(withJsonPart(now, before))).toBe(jsonPart(now));
  });

  test.each([
    'pretest',
    'posttest',
    'prelint',
    'preinstall',
    'install',
    'postinstall',
    'prepare',
    'prepublish',
    'dependencies',
  ])('%s, which runs without being asked for, is removed', (name) => {
    const now = scripts({ test: 'vitest', lint: 'biome', [name]: 'node plant.js' });
    expect(pinned(now, before)).toEqual(JSON.parse(before));
  });

  test.each(['prettier', 'postcss', 'prebuild', 'predeploy'])(
    '%s is run by nothing that existed, and stays',
    (name) => {
      const now = scripts({ test: 'vitest', lint: 'biome', [name]: 'x' });
      expect(pinned(now, before)).toEqual(JSON.parse(now));
    },
  );
});

describe('settings of runners', () => {
  test('come back, and new ones are removed', () => {
    const now = JSON.stringify({ jest: { testMatch: ['none'] }, mocha: { grep: 'x' }, version: '2' });
    expect(pinned(now, JSON.stringify({ jest: { bail: true } }))).toEqual({
      version: '2',
      scripts: {},
      jest: { bail: true },
    });
  });
});

describe('workspaces', () => {
  const before = JSON.stringify({ workspaces: ['a', 'b'], scripts: {} });

  test('that were taken out come back, and new ones stay', () => {
    const now = JSON.stringify({ workspaces: { packages: ['c', 'b'] }, scripts: {} });
    expect(pinned(now, before)).toEqual({ workspaces: ['a', 'b', 'c'], scripts: {} });
  });

  test('are not taken out by a pattern', () => {
    const now = JSON.stringify({ workspaces: ['a', 'b', '!b'], scripts: {} });
    expect(pinned(now, before)).toEqual({ workspaces: ['a', 'b'], scripts: {} });
  });

  test('that are new change nothing that is pinned', () => {
    const now = JSON.stringify({ workspaces: ['c', 'b', 'a'] });
    expect(jsonPart(withJsonPart(now, before))).toBe(jsonPart(now));
  });
});

test('what comes back has the indentation of the file', () => {
  const now = '{\n\t"scripts": {\n\t\t"test": "true"\n\t}\n}\n';
  expect(withJsonPart(now, scripts({ test: 'vitest' }))).toBe(now.replace('true', 'vitest'));
});

describe('a file that is not JSON', () => {
  test('has no pinned part, and the whole file of the start comes back', () => {
    expect(jsonPart('{')).toBeNull();
    expect(withJsonPart('{', '{"scripts":{}}')).toBe('{"scripts":{}}');
  });

  test('stays as it is if there was none at the start', () => {
    expect(withJsonPart('[]', null)).toBe('[]');
  });

  test('can be JSON after a byte order mark, which editors write', () => {
    expect(jsonPart('\uFEFF{}')).toBe(jsonPart('{}'));
  });
});

describe('a package that passes itself off as another one', () => {
  const start = { names: new Set(['chai', 'deep']), programs: new Set(['mocha']) };
  const withStart = (now: object, before: object | null): unknown =>
    JSON.parse(withJsonPart(JSON.stringify(now), before === null ? null : JSON.stringify(before), start));

  test('by its name', () => {
    expect(withStart({ name: 'chai' }, { name: 'own' })).toEqual({ name: 'own', scripts: {} });
    expect(withStart({ name: 'chai' }, null)).toEqual({ scripts: {} });
    expect(withStart({ name: 'other' }, { name: 'own' })).toEqual({ name: 'other', scripts: {} });
  });

  test('by its programs', () => {
    const bin = { mocha: 'a', node: 'b', own: 'c' };
    expect(withStart({ bin }, {})).toEqual({ bin: { own: 'c' }, scripts: {} });
    expect(withStart({ bin }, { bin: { mocha: 'a' } })).toEqual({ bin: { mocha: 'a', own: 'c' }, scripts: {} });
    expect(withStart({ name: 'mocha', bin: 'a' }, null)).toEqual({ name: 'mocha', bin: {}, scripts: {} });
  });

  test('by a folder of programs', () => {
    const directories = { bin: 'bin', lib: 'lib' };
    expect(withStart({ directories }, null)).toEqual({ directories: { lib: 'lib' }, scripts: {} });
    expect(withStart({ directories }, { directories: { bin: 'old' } })).toEqual({
      directories: { bin: 'old', lib: 'lib' },
      scripts: {},
    });
    expect(jsonPart(JSON.stringify({ directories }))).not.toBe(jsonPart('{}'));
  });

  test('while it is installed', () => {
    expect(withStart({ scripts: { postinstall: 'x', build: 'y' }, jest: {} }, null)).toEqual({
      scripts: { build: 'y' },
      jest: {},
    });
  });
});

describe('where packages come from', () => {
  const start = { names: new Set(['deep']), programs: new Set<string>() };
  const devDependencies = { a: '^1.0.0' };
  const before = JSON.stringify({ devDependencies });
  const after = (now: object): unknown => JSON.parse(withJsonPart(JSON.stringify(now), before, start)).devDependencies;

  test.each([
    [{ a: 'file:./fake' }, { a: '^1.0.0' }],
    [{ a: '^2.0.0' }, { a: '^2.0.0' }],
    [{ ...devDependencies, deep: 'file:./fake' }, devDependencies],
    [{ ...devDependencies, b: 'file:b.tgz' }, devDependencies],
    [{ ...devDependencies, b: 'file:b.TGZ' }, devDependencies],
    [{ ...devDependencies, b: 'git+file:///b' }, devDependencies],
    [
      { ...devDependencies, b: 'file:./b', c: 'github:a/c' },
      { ...devDependencies, b: 'file:./b', c: 'github:a/c' },
    ],
  ])('%j becomes %j', (now, then) => {
    expect(after({ devDependencies: now })).toEqual(then);
  });

  test('also for a nested package that is replaced by one of the project', () => {
    const now = (overrides: object): unknown => JSON.parse(withJsonPart(JSON.stringify({ overrides }), before, start));
    expect(now({ deep: 'file:./fake' })).toEqual({ scripts: {} });
    expect(now({ deep: '2.0.0' })).toEqual({ overrides: { deep: '2.0.0' }, scripts: {} });
  });
});
