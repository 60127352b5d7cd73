import { describe, expect, test } from 'vitest';
import { jsonPart, withJsonPart } from './pinned-json.ts';

const scripts = (given: Readonly<Record<string, string>>): string => JSON.stringify({ scripts: given });
const pinned = (now: string, before: string | null): unknown => JSON.parse(withJsonPart(now, before));

describe('scripts', () => {
  const before = scripts({ test: 'vitest', lint: 'biome' });

  test('those of the start come back, also one that was deleted', () => {
    expect(pinned(scripts({ test: 'true' }), before)).toEqual({ scripts: { test: 'vitest', lint: 'biome' } });
  });

  test('a new one stays, wherever it stands', () => {
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
  ])('%s, which is run without being asked for, goes', (name) => {
    const now = scripts({ test: 'vitest', lint: 'biome', [name]: 'node plant.js' });
    expect(pinned(now, before)).toEqual(JSON.parse(before));
  });

  test.each(['prettier', 'postcss', 'prebuild', 'predeploy'])(
    '%s is run by nothing that was there, and stays',
    (name) => {
      const now = scripts({ test: 'vitest', lint: 'biome', [name]: 'x' });
      expect(pinned(now, before)).toEqual(JSON.parse(now));
    },
  );
});

describe('settings of runners', () => {
  test('come back, and those that are new go', () => {
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

  test('one that was taken out comes back, one that is new stays', () => {
    const now = JSON.stringify({ workspaces: { packages: ['c', 'b'] }, scripts: {} });
    expect(pinned(now, before)).toEqual({ workspaces: ['a', 'b', 'c'], scripts: {} });
  });

  test('another one is no change of what is pinned', () => {
    const now = JSON.stringify({ workspaces: ['c', 'b', 'a'] });
    expect(jsonPart(withJsonPart(now, before))).toBe(jsonPart(now));
  });
});

describe('what is no JSON', () => {
  test('has no part, and the whole file of the start comes back', () => {
    expect(jsonPart('{')).toBeNull();
    expect(withJsonPart('{', '{"scripts":{}}')).toBe('{"scripts":{}}');
  });

  test('stays as it is where there was no file', () => {
    expect(withJsonPart('[]', null)).toBe('[]');
  });

  test('but for a byte order mark, which editors write', () => {
    expect(jsonPart('\uFEFF{}')).toBe(jsonPart('{}'));
  });
});
