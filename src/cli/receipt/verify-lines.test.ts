import { expect, test } from 'vitest';
import type { ComparedRow } from '../../core/proof/compare-receipt.ts';
import { rowLines, summaryLines } from './verify-lines.ts';

const row = (is: ComparedRow['is'], here: string): ComparedRow => ({ what: 'npm test', receipt: here, here, is });
const textOf = (rows: readonly ComparedRow[]): string[] =>
  [...rowLines(rows, 80, (text) => text), ...summaryLines(rows, '/logs', 80)].map(({ text }) => text);

test('a check that does not count has no tick, and the last line does not say that it passes', () => {
  expect(textOf([row('same', 'exit 0'), row('excused', 'exit 1')])).toEqual([
    '✓ npm test  exit 0',
    '! npm test  exit 1, as the receipt says: does not count',
    '✓ The checks that count pass here, and others fail, as the receipt says.',
  ]);
});

test('if all pass, it says so', () => {
  expect(textOf([row('same', 'exit 0')]).at(-1)).toBe('✓ The checks pass here, with the results the receipt states.');
});
