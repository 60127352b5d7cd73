import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from './digest.ts';

test.each([
  ['', '0bdcb81aee8d83'],
  ['a', '1c2ba782c97901'],
  ['/home/me/größe 🙂', '0ce9085c156633'],
])('the digest of %j never changes, because the locks and journals of earlier releases contain it', (text, name) => {
  expect(digestOf(text)).toBe(name);
});

test('texts that differ in a character, or in the order of two, have different digests', () => {
  const names = new Set<string>();
  const texts = [
    '',
    'a',
    'b',
    'ab',
    'ba',
    'aab',
    'aba',
    '/work/1',
    '/work/2',
    '/work/12',
    '/work/21',
    'x'.repeat(10_000),
  ];
  for (const text of texts) names.add(digestOf(text));
  expect(names.size).toBe(texts.length);
});

test('a digest has fourteen hexadecimal digits, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(digestOf(text)).toMatch(/^[0-9a-f]{14}$/);
    }),
  );
});

test('many texts of one form have different digests', () => {
  const names = new Set(Array.from({ length: 100_000 }, (_, i) => digestOf(`/home/user/project-${i}`)));
  expect(names.size).toBe(100_000);
});
