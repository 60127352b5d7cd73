import { expect, test } from 'vitest';
import { aligned } from './aligned.ts';

test('every cell of a column is as wide as the widest one', () => {
  expect(
    aligned([
      ['NAME', 'STATUS'],
      ['a', 'stopped'],
    ]),
  ).toEqual(['NAME  STATUS ', 'a     stopped']);
  expect(aligned([])).toEqual([]);
});
