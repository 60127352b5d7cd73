import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test.each([
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['moves of the cursor', 'a\u001b[2J\u001b[H\u001b[10;5Hb', 'ab'],
  ['a title', '\u001b]0;gotcha\u0007text', 'text'],
  ['a link', '\u001b]8;;https://x.example\u001b\\here\u001b]8;;\u001b\\', 'here'],
  ['the 8-bit form of a sequence', '\u009b31mred', 'red'],
  ['a bell, a backspace, a carriage return', 'pass\b\b\bfail\r\u0007', 'passfail'],
])('%s are taken out', (_what, text, left) => {
  expect(printable(text)).toBe(left);
});

test('tabs, line feeds and every letter stay as they are', () => {
  const text = 'a\tb\nc ü 做 😀 \u2028 [31m ]0; ';
  expect(printable(text)).toBe(text);
});

test('whatever comes, nothing is left that a terminal could take for a command', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\u001b[',
      '\u001b]',
      '\u001b',
      '\u009b',
      '\u009d',
      '\u0007',
      '\u001b\\',
      '\u001bP',
      '0;',
      '31m',
      '[',
      '?25l',
    ),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is what is tested.
      expect(printable(pieces.join(''))).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
    { numRuns: 1000 },
  );
});

test('text without a control character is kept, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those that are not kept.
      fc.pre(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text));
      expect(printable(text)).toBe(text);
    }),
  );
});
