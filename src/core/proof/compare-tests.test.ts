import { describe, expect, test } from 'vitest';
import { compareTests, emptySuites, failingTests, isSame, wordsOfChanges } from './compare-tests.ts';
import type { TestCase } from './test-case.ts';

/** `+a` passed, `-a` failed, `~a` was skipped. */
function tests(...words: readonly string[]): TestCase[] {
  const outcomes = { '+': 'passed', '-': 'failed', '~': 'skipped' } as const;
  return words.map((word) => ({ name: word.slice(1), outcome: outcomes[word[0] as keyof typeof outcomes] }));
}

describe('compareTests', () => {
  test.each([
    { what: 'a test that passed is gone', before: ['+a', '+b'], now: ['+a', '+c', '+d'], missing: ['b'] },
    { what: 'one of two with the same name is gone', before: ['+a', '+a'], now: ['+a', '+c'], missing: ['a'] },
    { what: 'one that failed is gone', before: ['+a', '-b'], now: ['+a', '+c'], missing: ['b'] },
    { what: 'a test is skipped that failed', before: ['+a', '-b'], now: ['+a', '~b'], skipped: ['b'] },
    { what: 'one more of a name is skipped', before: ['~a', '+a'], now: ['~a', '~a'], skipped: ['a'] },
  ])('by name: $what', ({ before, now, missing = [], skipped = [] }) => {
    const changes = compareTests(tests(...before), tests(...now), true);
    expect(changes).toEqual({ missing, skipped });
    expect(isSame(changes)).toBe(false);
  });

  test.each([
    { what: 'a suite that could not be read has tests now', before: ['-test/suite.js'], now: ['+a'] },
    { what: 'so it is within others', before: ['-all › suite.test.js'], now: ['+all › a'] },
    { what: 'a new test is skipped', before: ['+a'], now: ['+a', '~b'] },
    { what: 'one was skipped before', before: ['~a'], now: ['~a'] },
    { what: 'one is not skipped any more', before: ['~a'], now: ['+a'] },
    { what: 'there were none', before: [], now: ['+a'] },
  ])('by name: nothing is wrong if $what', ({ before, now }) => {
    expect(isSame(compareTests(tests(...before), tests(...now), true))).toBe(true);
  });

  test('by number: a test can have another name, but none can be gone', () => {
    const before = tests('+a', '-b');
    expect(isSame(compareTests(before, tests('+c', '+d'), false))).toBe(true);
    expect(compareTests(before, tests('+a'), false).missing).toEqual(['b']);
  });
});

test('for a check that does not count, a test that passed must pass again, as often as its name occurs', () => {
  const of = (outcome: 'passed' | 'failed', ...names: string[]) => names.map((name) => ({ name, outcome }));
  const before = [...of('passed', 'a', 'b', 'b'), ...of('failed', 'c')];
  expect(failingTests(before, [...of('passed', 'b'), ...of('failed', 'a', 'b', 'c', 'new')])).toEqual(['a', 'b']);
  expect(failingTests(before, [...of('passed', 'a', 'b', 'b', 'c'), ...of('failed', 'c')])).toEqual([]);
  const words = '1 test fails that passed at the start: a';
  expect(wordsOfChanges({ missing: [], skipped: [], failing: ['a'] })).toBe(words);
  expect(isSame({ missing: [], skipped: [], failing: ['a'] })).toBe(false);
});

test('wordsOfChanges names the first of many', () => {
  const missing = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  expect(wordsOfChanges({ missing, skipped: ['x'] })).toBe(
    '7 tests of the start missing: a, b, c, d, e and 2 more; 1 test newly skipped: x',
  );
});

test('a file that could not be loaded, and now passes as if it were a test, has run no tests', () => {
  const broken = { name: 'test/a.test.js', outcome: 'failed' } as const;
  expect(emptySuites([broken], [{ ...broken, outcome: 'passed' }])).toEqual(['test/a.test.js']);
  expect(emptySuites([broken], [{ name: 'test › greets', outcome: 'passed' }])).toEqual([]);
  expect(emptySuites([{ name: 'greets', outcome: 'failed' }], [{ name: 'greets', outcome: 'passed' }])).toEqual([]);
});
