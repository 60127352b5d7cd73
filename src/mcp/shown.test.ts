import { expect, test } from 'vitest';
import { maskFor } from '../core/text/mask.ts';
import { shower, shownData } from './shown.ts';

const show = shower(maskFor({ MY_TOKEN: 'hidden-value-1' }));

test.each([
  ['an escape sequence', 'a\u001b[31mred\u001b[0m\u0007', 'ared'],
  ['text that runs backwards', 'a\u202eb\u2066c', 'abc'],
  ['tags, which are not seen', `a${String.fromCodePoint(0xe0041, 0xe0042)}b`, 'ab'],
  ['what is not seen at all', `a\u00ad\u180e\u3164${String.fromCodePoint(0xe0100, 0xe01ef)}b`, 'ab'],
  ['zero width', 'a\u200bb\ufeff', 'ab'],
  ['line feeds and tabs stay', 'a\n\tb', 'a\n\tb'],
  ['what joins characters stays', '👩\u200d💻', '👩\u200d💻'],
  ['a secret', 'is hidden-value-1.', 'is ***.'],
])('%s', (_what, text, shown) => {
  expect(show(text, 100)).toBe(shown);
});

test('a text is cut at its limit, after secrets are hidden, and no character in two', () => {
  expect(show('0123456789', 10)).toBe('0123456789');
  expect(show('01234567890', 10)).toBe('012345678…');
  expect(show('is hidden-value-1', 8)).toBe('is ***');
  expect(show('ab😀cd', 4)).toBe('ab…');
});

test('of plain data every text is shown, also the names', () => {
  const data = { 'a\u0007': ['x\u001b[1m', 3, null, { deep: 'hidden-value-1' }], flag: true };
  expect(shownData(data, show, 5)).toEqual({ a: ['x', 3, null, { deep: '***' }], flag: true });
});
