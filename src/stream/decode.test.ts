import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeUtf8 } from './decode.ts';

test.each([
  ['plain words', 'plain words'],
  ['größer, 日本語, 🙂', 'größer, 日本語, 🙂'],
  ['\u{feff}with a byte order mark', '\u{feff}with a byte order mark'],
  ['', ''],
])('%j is decoded', (text, decoded) => {
  expect(decodeUtf8(Buffer.from(text))).toBe(decoded);
});

test('whatever the bytes are, it says what Buffer.toString says', () => {
  const bytes = fc.oneof(fc.uint8Array(), fc.string({ unit: 'grapheme' }).map(Buffer.from));
  fc.assert(
    fc.property(bytes, (given) => {
      expect(decodeUtf8(Buffer.from(given))).toBe(Buffer.from(given).toString('utf8'));
    }),
  );
});
