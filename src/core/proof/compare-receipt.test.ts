import { describe, expect, test } from 'vitest';
import { COMMIT, provedCheck, receiptCheck, receiptPredicate, TREE } from '../../../test/support/proof/receipt.ts';
import { compareReceipt, isReproduced, type Reproduced } from './compare-receipt.ts';
import type { ProvedCheck } from './proof.ts';
import type { ReceiptPredicate } from './receipt.ts';

const RED = { outcome: { is: 'failed', how: 'exit 1', code: 1 }, output: 'expected 2, got 3' } as const;

function here(given: Partial<Reproduced> = {}): Reproduced {
  const at = { at: COMMIT, tree: TREE, commit: COMMIT };
  return { at, setup: null, checks: [provedCheck()], pinned: { changed: [], again: null }, ...given };
}

const compared = (claimed: Partial<ReceiptPredicate>, found: Partial<Reproduced>) =>
  compareReceipt(receiptPredicate(claimed), here(found));

/** The rows that differ. */
const others = (...given: Parameters<typeof compared>) =>
  compared(...given)
    .filter(({ is }) => is !== 'same')
    .map(({ what, is }) => `${what} ${is}`);

test('equal results are reproduced; logs are shown and not compared', () => {
  const rows = compared({}, { checks: [provedCheck({ digest: '9'.repeat(64) })] });
  expect(rows.map(({ what }) => what)).toEqual(['files of ccccccc', 'npm test', 'pinned files']);
  expect(isReproduced(rows)).toBe(true);
  expect(rows[1]?.logs).toEqual({ receipt: 'e'.repeat(64), here: '9'.repeat(64) });
});

test('the paths that the receipt freed are named, whether or not other files were changed', () => {
  const terms = { include: [], pins: [], allowEdit: ['test/greet.test.js'], acceptFlaky: false };
  const pinned = (changed: string[]) => ({ changed, again: null });
  expect(compared({ terms }, { pinned: pinned([]) }).at(-1)).toMatchObject({
    is: 'same',
    here: 'none changed, apart from what was freed: test/greet.test.js',
  });
  expect(compared({ terms }, { pinned: pinned(['Makefile']) }).at(-1)).toMatchObject({
    here: 'changed: Makefile, apart from what was freed: test/greet.test.js',
  });
});

test('the files of the start must be those that the receipt names', () => {
  const pinned = { changed: [], again: null, unlike: ['test/a.js'] };
  const [row] = compared({}, { pinned }).filter(({ is }) => is !== 'same');
  expect(row).toMatchObject({ what: 'pinned files at the start', here: 'different: test/a.js', is: 'different' });
});

describe('it is different if', () => {
  const check = (given: Partial<ProvedCheck>): Partial<Reproduced> => ({ checks: [provedCheck(given)] });

  test.each<[string, Partial<ReceiptPredicate>, Partial<Reproduced>, string]>([
    ['the commit has other files', { at: { commit: COMMIT, tree: '0'.repeat(40) } }, {}, 'files of ccccccc different'],
    ['a check fails', {}, check(RED), 'npm test different'],
    ['a test is missing', {}, check({ tests: { passed: 1, failed: 0, skipped: 0 } }), 'npm test different'],
    ['a test is skipped', {}, check({ tests: { passed: 2, failed: 0, skipped: 1 } }), 'npm test different'],
    ['tests cannot be counted', { checks: [receiptCheck()] }, { checks: [withoutTests()] }, 'npm test different'],
    ['a check is flaky', {}, check({ isFlaky: true }), 'npm test different'],
    ['a check was not run', {}, { checks: [] }, 'npm test different'],
    [
      'another file was changed',
      {},
      { pinned: { changed: ['a.test.js'], again: { setup: null, checks: [provedCheck()] } } },
      'pinned files different',
    ],
  ])('%s', (_what, claimed, found, row) => {
    expect(others(claimed, found)).toEqual([row]);
    expect(isReproduced(compared(claimed, found))).toBe(false);
  });

  test('the setup fails, and so no check was run', () => {
    const claimed = { setup: { command: 'npm ci', outcome: 'passed', how: 'exit 0', exitCode: 0, log: null } } as const;
    const setup = provedCheck({ command: 'npm ci', ...RED });
    expect(others(claimed, { setup, checks: [] })).toEqual(['npm ci different', 'npm test different']);
    expect(others({}, { setup, checks: [] })).toEqual(['npm ci different', 'npm test different']);
  });

  test('a check fails with the pinned files of the start', () => {
    const changed = ['a.test.js'];
    const pinned = { changed, setup: null, checks: [receiptCheck()] };
    const again = { setup: null, checks: [provedCheck(RED)] };
    expect(others({ pinned }, { pinned: { changed, again } })).toEqual(['with pinned files: npm test different']);
  });
});

test('new tests are not missed when those of the start are run alone', () => {
  const alone = provedCheck({ tests: { passed: 1, failed: 0, skipped: 0 } });
  const pinned = { changed: [], again: { setup: null, checks: [alone] } };
  expect(others({}, { pinned })).toEqual([]);
  const claimed = { changed: [], setup: null, checks: [receiptCheck()] };
  expect(others({ pinned: claimed }, { pinned })).toEqual(['with pinned files: npm test different']);
});

test('what is red is red, even if the receipt says so', () => {
  const red = receiptCheck({ outcome: 'failed', how: 'exit 1', exitCode: 1 });
  const rows = compared({ checks: [red] }, { checks: [provedCheck(RED)] });
  expect(rows[1]).toMatchObject({ is: 'red', output: 'expected 2, got 3' });
  expect(isReproduced(rows)).toBe(false);
});

describe('a red check that does not count', () => {
  const red = receiptCheck({ command: 'lint', outcome: 'failed', how: 'exit 1', exitCode: 1, isExcused: true });
  const lint = provedCheck({ command: 'lint', ...RED });

  test('is no reason to refuse a receipt whose other checks pass, but is not the same as one that passed', () => {
    const rows = compared({ checks: [receiptCheck(), red] }, { checks: [provedCheck(), lint] });
    expect(rows.map(({ is }) => is)).toEqual(['same', 'same', 'excused', 'same']);
    expect(isReproduced(rows)).toBe(true);
  });

  test('is red if no other check has passed', () => {
    const rows = compared({ checks: [red] }, { checks: [lint] });
    expect(rows[1]).toMatchObject({ what: 'lint', is: 'red' });
    expect(isReproduced(rows)).toBe(false);
  });

  test('is excused by the check alone, and not by what the receipt says about its run with the pinned files', () => {
    const again = { setup: null, checks: [provedCheck(RED)] };
    const failing = receiptCheck({ outcome: 'failed', how: 'exit 1', exitCode: 1, isExcused: true });
    const pinned = { changed: [], setup: null, checks: [failing] };
    expect(others({ pinned }, { pinned: { changed: [], again } })).toEqual(['with pinned files: npm test red']);
  });
});

test('a receipt that leaves out the result with the pinned files does not make it pass', () => {
  const pinned = { changed: [], setup: null, checks: [] };
  const again = { setup: null, checks: [provedCheck(RED)] };
  expect(others({ pinned }, { pinned: { changed: [], again } })).toEqual(['with pinned files: npm test different']);
});

test('if the start is not known here, pinned files are not compared', () => {
  const rows = compared({}, { pinned: null });
  expect(rows.at(-1)).toMatchObject({ what: 'pinned files', is: 'unknown' });
  expect(isReproduced(rows)).toBe(true);
});

test('without a proof, the checks are compared, but not tests that were not counted', () => {
  const checks = [receiptCheck({ tests: null })];
  expect(compared({ isProved: false, checks }, {}).map(({ what, is }) => `${what} ${is}`)).toEqual([
    'files of ccccccc same',
    'npm test same',
  ]);
});

function withoutTests(): ProvedCheck {
  const { tests: _tests, ...check } = provedCheck();
  return check;
}
