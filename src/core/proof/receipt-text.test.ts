import { describe, expect, test } from 'vitest';
import { COMMIT, receiptCheck, receiptPredicate, TREE } from '../../../test/support/proof/receipt.ts';
import { receiptOf } from './receipt.ts';
import { markdownReceipt, receiptRows, resultWords, trailerOf, verdictLine } from './receipt-text.ts';

const proved = receiptOf('shop', receiptPredicate());

test('the first line says whether it was proved', () => {
  expect(verdictLine(receiptPredicate())).toBe('✓ Proved in a clean checkout of ccccccc');
  const loose = receiptPredicate({ isProved: false, at: { commit: null, tree: TREE } });
  expect(verdictLine(loose)).toBe("! Checked in the agent's work tree, not proved (the tree ddddddd)");
});

describe('a row says', () => {
  const rowsOf = (given: Parameters<typeof receiptPredicate>[0]) =>
    receiptRows(receiptOf('shop', receiptPredicate(given))).map((row) => row.join(': '));

  test('the result of a check, and what it was before the work', () => {
    expect(rowsOf({})).toContain('check: npm test: exit 0, 2 tests; red before the work');
    const green = receiptCheck({ atStart: 'passed', tests: { passed: 1, failed: 0, skipped: 3 } });
    expect(rowsOf({ checks: [green] })).toContain(
      'check: npm test: exit 0, 1 test, 3 skipped; passed before the work, too',
    );
  });

  test.each([
    [
      null,
      { passed: 2, failed: 0, skipped: 0 },
      'exit 0, 2 tests; red before the work; tests not counted before the work',
    ],
    [
      { passed: 2, failed: 0, skipped: 0 },
      null,
      'exit 0; exit code only, tests not counted; red before the work; tests counted before the work only',
    ],
    [
      { passed: 1, failed: 1, skipped: 0 },
      { passed: 2, failed: 0, skipped: 0 },
      'exit 0, 2 tests; red before the work',
    ],
    [null, null, 'exit 0; exit code only, tests not counted; red before the work'],
    [undefined, { passed: 2, failed: 0, skipped: 0 }, 'exit 0, 2 tests; red before the work'],
  ])('whether its tests were counted before the work and now: %j, %j', (testsAtStart, tests, words) => {
    const receipt = receiptPredicate({ checks: [receiptCheck({ tests, testsAtStart })] });
    expect(rowsOf(receipt)).toContain(`check: npm test: ${words}`);
    expect(markdownReceipt(receiptOf('shop', receipt))).toContain(
      `| npm test | ${words.replace('; red before the work', '')} | red |`,
    );
  });

  test('that nothing was checked', () => {
    expect(rowsOf({ checks: [] })).toContain('checks: none: nothing was checked');
  });

  test('which pinned files were changed, and what the checks say with those of the start', () => {
    expect(rowsOf({})).toContain('pinned: 1 file, none changed');
    const pinned = { changed: ['test/a.js'], setup: null, checks: [receiptCheck()] };
    expect(rowsOf({ pinned })).toEqual(
      expect.arrayContaining([
        'pinned: 1 file; changed: test/a.js',
        ': with those as at the start: npm test: exit 0, 2 tests',
      ]),
    );
    expect(rowsOf({ pinned: { ...pinned, changed: [] } })).toEqual(
      expect.arrayContaining([
        'pinned: 1 file, none changed',
        ': the tests of the start alone: npm test: exit 0, 2 tests',
      ]),
    );
    expect(rowsOf({ isProved: false }).join()).not.toContain('pinned');
  });

  test('which files the agent was allowed to change', () => {
    const terms = { setup: null, include: [], pins: [], allowEdit: ['test/a.js'], acceptFlaky: false };
    expect(rowsOf({ terms })).toEqual(
      expect.arrayContaining([
        'pinned: 1 file, none changed, apart from what was freed',
        ': the agent was allowed to change test/a.js (--allow-edit)',
      ]),
    );
  });

  test('what another agent said about it', () => {
    expect(rowsOf({ review: { by: 'codex', verdict: 'approved' } })).toContain('review: approved by codex');
    expect(rowsOf({}).join()).not.toContain('review');
  });

  test.each([
    [{ usd: 0.42, source: 'reported', isComplete: true }, '$0.42'],
    [{ usd: 0.42, source: 'both', isComplete: false }, '~$0.42+'],
    [{ usd: null, source: 'unknown', isComplete: false }, 'cost unknown'],
  ] as const)('what it cost: %j', (cost, words) => {
    const { loop } = receiptPredicate();
    expect(rowsOf({ loop: { ...loop, cost } }).at(-1)).toMatch(new RegExp(`, ${words.replaceAll(/[$+]/g, '\\$&')}$`));
  });
});

test('a failed check says how it failed, and one without a command has its verdict', () => {
  expect(resultWords(receiptCheck({ outcome: 'failed', how: 'exit 1', exitCode: 1 }))).toBe('exit 1');
  expect(resultWords(receiptCheck({ exitCode: null, tests: null }))).toBe('passed');
});

describe('Markdown', () => {
  test('has a row for every check, and the whole commit', () => {
    const lines = markdownReceipt(proved).split('\n');
    expect(lines[0]).toBe('### ✓ Proved in a clean checkout of ccccccc');
    expect(lines).toContain('| npm test | exit 0, 2 tests | red | `sha256:eeeeeeeeeeee` |');
    expect(lines).toContain(`- **commit**: \`${COMMIT}\``);
  });

  test('lets nothing become a tag, a link or another cell', () => {
    const { loop } = receiptPredicate();
    const evil = '<img> [x](y) | `a`';
    const receipt = receiptPredicate({ loop: { ...loop, task: evil }, checks: [receiptCheck({ command: evil })] });
    const text = markdownReceipt(receiptOf('shop', receipt));
    expect(text).not.toMatch(/[^\\]<img|[^\\]\[x|[^\\]`a/);
    expect(
      text
        .split('\n')
        .find((line) => line.includes('img'))
        ?.match(/(?<!\\)\|/g),
    ).toHaveLength(5);
  });

  test('says what an unproved receipt is', () => {
    const text = markdownReceipt(receiptOf('shop', receiptPredicate({ isProved: false })));
    expect(text).toContain('was not proved in a clean checkout');
  });
});

describe('a trailer', () => {
  test('names the commit, the counts and the receipt', () => {
    expect(trailerOf(proved, '0'.repeat(64))).toBe(
      `Ralph-Proof: ${COMMIT} checks=1 tests=2 receipt=sha256:${'0'.repeat(64)}`,
    );
  });

  test('without a proof has another name, and counts no tests that were not counted', () => {
    const loose = receiptPredicate({
      isProved: false,
      at: { commit: null, tree: TREE },
      checks: [receiptCheck({ tests: null })],
    });
    expect(trailerOf(receiptOf('shop', loose), 'ab')).toBe(`Ralph-Checked: tree:${TREE} checks=1 receipt=sha256:ab`);
  });
});
