import { expect, test } from 'vitest';
import { columnsOf, cutToColumns, padToColumns } from './columns.ts';

test.each([
  ['', 0],
  ['npm test', 8],
  ['✓ é …', 5],
  ['日本語', 6],
  ['e\u0301', 1],
  ['✅', 2],
  ['🙂', 2],
  ['한국', 4],
  ['a\u200bb', 2],
])('%j takes %d columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test.each([
  ['npm test', 8, 'npm test'],
  ['npm test', 5, 'npm …'],
  ['日本語', 4, '日…'],
  ['🙂🙂🙂', 5, '🙂🙂…'],
  ['x', 0, ''],
])('%j in %d columns', (text, columns, shown) => {
  expect(cutToColumns(text, columns)).toBe(shown);
  expect(columnsOf(shown)).toBeLessThanOrEqual(columns);
});

test('wide characters are padded by what they take, and what is wide enough stays as it is', () => {
  expect(padToColumns('日本', 6)).toBe('日本  ');
  expect(padToColumns('abc', 2)).toBe('abc');
});
