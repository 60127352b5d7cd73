import { describe, expect, test } from 'vitest';
import { lockedNames, withLockLines, withLockPart, withRequirements } from './pinned-lock.ts';

const FROM = 'https://registry.npmjs.org';
const lock = (packages: object): string => JSON.stringify({ packages });
const RUNNER = {
  version: '1.0.0',
  resolved: `${FROM}/runner/-/runner-1.0.0.tgz`,
  integrity: 'sha512-a',
  bin: { runner: 'run.js' },
};
const BEFORE = lock({ 'node_modules/runner': RUNNER });

describe('package-lock.json', () => {
  test.each([
    ['another content of the same version', { ...RUNNER, integrity: 'sha512-b' }],
    ['other programs of the same version', { ...RUNNER, bin: { runner: 'other.js' } }],
    ['the name of another package', { ...RUNNER, version: '2.0.0', name: 'empty' }],
    ['a folder of the project', { resolved: 'runner', link: true }],
    ['an archive of the project', { ...RUNNER, version: '2.0.0', resolved: 'file:runner.tgz' }],
    ['an archive of another package', { ...RUNNER, version: '2.0.0', resolved: `${FROM}/empty/-/empty-2.0.0.tgz` }],
    [
      'an archive from another place',
      { ...RUNNER, version: '2.0.0', resolved: 'http://localhost:1/runner/-/runner-2.0.0.tgz' },
    ],
  ])('%s is refused', (_what, now) => {
    expect(withLockPart(lock({ 'node_modules/runner': now }), BEFORE)).toBe(BEFORE);
  });

  test('is refused below another package, too; without a lock at the start, none is left', () => {
    const now = lock({
      'node_modules/runner': RUNNER,
      'node_modules/runner/node_modules/a': { resolved: 'file:a.tgz' },
    });
    expect(withLockPart(now, BEFORE)).toBe(BEFORE);
    expect(withLockPart(now, null)).toBe('');
  });

  test('new versions, new packages and new packages of the project stay', () => {
    const now = lock({
      'node_modules/runner': {
        ...RUNNER,
        version: '1.1.0',
        resolved: `${FROM}/runner/-/runner-1.1.0.tgz`,
        integrity: 'sha512-c',
      },
      'node_modules/@a/b': { version: '1.0.0', resolved: `${FROM}/@a%2fb/-/b-1.0.0.tgz` },
      'node_modules/extra': { resolved: 'packages/extra', link: true },
      'node_modules/c': { version: '1.0.0', integrity: 'sha512-d' },
    });
    expect(withLockPart(now, BEFORE)).toBe(now);
    expect(lockedNames(now)).toEqual(['runner', '@a/b', 'extra', 'c']);
  });
});

describe('the programs of a new package', () => {
  const start = { names: new Set<string>(), programs: new Set(['checker']), hosts: new Set(['npm.example.com']) };
  const kept = (path: string, bin: object, host = FROM): string => {
    const made = { version: '1.0.0', resolved: `${host}/made/-/made-1.0.0.tgz`, bin };
    return withLockPart(lock({ 'node_modules/runner': RUNNER, [path]: made }), BEFORE, start);
  };

  test.each(['runner', 'checker', 'node', 'make'])('cannot be called %s', (program) => {
    expect(kept('node_modules/made', { [program]: 'x.js' })).toBe(BEFORE);
  });

  test('can have new names, and any name if only another package finds them', () => {
    expect(kept('node_modules/made', { made: 'x.js' })).not.toBe(BEFORE);
    expect(kept('node_modules/a/node_modules/made', { runner: 'x.js' })).not.toBe(BEFORE);
  });

  test('can come from where the settings of the start have packages come from', () => {
    expect(kept('node_modules/made', {}, 'https://npm.example.com')).not.toBe(BEFORE);
    expect(kept('node_modules/made', {}, 'https://other.example.com')).toBe(BEFORE);
  });
});

test('other lock files: a line that names an archive on this machine is undone', () => {
  const now = 'runner@^1.0.0:\n  resolved "file:runner.tgz"\n';
  expect(withLockLines(now, 'runner@^1.0.0:\n')).toBe('runner@^1.0.0:\n');
  const free = 'a:\n  version: link:../a\nb@file:lib:\nurl = "https://example.com/c.whl"\n';
  expect(withLockLines(free, '')).toBe(free);
});

test('requirements: what is on this machine, and other places for packages, is undone', () => {
  const now = 'a==2\n./plugin\n--index-url http://localhost\nb @ file:///b.whl\nnew\n';
  expect(withRequirements(now, 'a==1\n-e .\n')).toBe('-e .\na==2\nnew\n');
});
