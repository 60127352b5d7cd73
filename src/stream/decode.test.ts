import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeUtf8 } from './text-lines.ts';

test.each([
  ['plain words', 'plain words'],
  ['größer, 日本語, 🙂', 'größer, 日本語, 🙂'],
  ['\u{feff}with a byte order mark', '\u{feff}with a byte order mark'],
  ['', ''],
  ['größer, 日本語, 🙂'.repeat(100), 'größer, 日本語, 🙂'.repeat(100)],
  ['plain words'.repeat(100), 'plain words'.repeat(100)],
])('%j is decoded', (text, decoded) => {
  expect(decodeUtf8(Buffer.from(text))).toBe(decoded);
});

test('whatever the bytes are, it says what Buffer.toString says', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 3000, size: 'max' }),
    fc.string({ unit: 'grapheme', maxLength: 2000, size: 'max' }).map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(bytes, (given) => {
      expect(decodeUtf8(Buffer.from(given))).toBe(Buffer.from(given).toString('utf8'));
    }),
  );
});
