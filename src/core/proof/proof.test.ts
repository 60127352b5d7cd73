import { describe, expect, test } from 'vitest';
import { commandOfFinding, holds, type ProofFinding, type ProvedTree, treeWords, wordsOfFinding } from './proof.ts';

const RUN = { command: 'npm test', durationMs: 1, log: 'a.log', output: '', truncated: false } as const;
const FAILED = { ...RUN, outcome: { is: 'failed', how: 'exit 1', code: 1 } } as const;
const COMMIT: ProvedTree = { at: 'a', tree: 'b', commit: '51affc0123456789' };
const TREE: ProvedTree = { at: 'a', tree: 'b', commit: null };

test('a tree is named by its commit', () => {
  expect([COMMIT, TREE, null].map(treeWords)).toEqual(['51affc0', 'the work tree', 'the work tree']);
});

test('a proof without findings holds', () => {
  expect(holds({ findings: [] })).toBe(true);
  expect(holds({ findings: [{ is: 'unchanged' }] })).toBe(false);
});

describe('wordsOfFinding', () => {
  test.each<[ProofFinding, ProvedTree | null, string]>([
    [{ is: 'impossible', reason: 'the disk is full' }, null, 'no clean checkout could be made: the disk is full'],
    [{ is: 'unchanged' }, TREE, 'nothing has changed since the loop began'],
    [{ is: 'setup', ...FAILED }, TREE, 'exit 1 in a clean checkout'],
    [{ is: 'red', ...FAILED }, COMMIT, 'exit 1 in a clean checkout of 51affc0'],
    [
      { is: 'red', ...FAILED, uncommitted: ['a.js', 'b.js'] },
      COMMIT,
      'exit 1 in a clean checkout of 51affc0; not in the commit: a.js, b.js',
    ],
    [
      { is: 'flaky', command: 'x', log: 'a.log' },
      COMMIT,
      'it failed and then passed on the same files, in a clean checkout of 51affc0: it is flaky',
    ],
    [
      { is: 'tests', command: 'x', log: 'a.log', missing: ['a'], skipped: [], uncommitted: ['a.test.js'] },
      COMMIT,
      '1 test of the start missing: a; not in the commit: a.test.js',
    ],
    [
      { is: 'pinned', ...FAILED, changed: ['a.test.js'] },
      TREE,
      'a.test.js was changed; with the version from the start it fails (exit 1)',
    ],
    [
      { is: 'pinned', ...FAILED, changed: ['a', 'b'] },
      TREE,
      'a, b were changed; with the versions from the start it fails (exit 1)',
    ],
  ])('%j', (finding, at, words) => {
    expect(wordsOfFinding(finding, at)).toBe(words);
  });
});

test('a finding names the check that it is about', () => {
  expect(commandOfFinding({ is: 'red', ...FAILED })).toBe('npm test');
  expect(commandOfFinding({ is: 'unchanged' })).toBeNull();
});
