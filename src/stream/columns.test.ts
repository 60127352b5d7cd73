import { assert, property, string } from 'fast-check';
import stringWidth from 'string-width';
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

test('no character counts for less than it takes, alone or as an emoji', () => {
  const counted: string[] = [];
  for (let code = 0x20; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code);
    const mayBeEmoji = code < 0x3400 || code >= 0x1f000;
    for (const text of [character, ...(mayBeEmoji ? [`${character}\ufe0f`, `${character}\u20e3`] : [])]) {
      if (stringWidth(text) > columnsOf(text)) counted.push(code.toString(16));
    }
  }
  expect(counted).toEqual([]);
});

test('no text counts for less than it takes', () => {
  assert(
    property(string({ unit: 'grapheme' }), (text) => columnsOf(text) >= stringWidth(text)),
    { numRuns: 2000 },
  );
});
