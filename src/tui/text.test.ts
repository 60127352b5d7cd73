import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnsOf } from '../stream/columns.ts';
import { inColumns, oneLine, safe, wrapped } from './text.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('text of others has no effect on the terminal', () => {
  test.each([
    ['a colour', 'a\u001b[31mb', 'ab'],
    ['a cursor', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['a title that a string terminator ends', 'a\u001b]0;owned\u001b\\b', 'ab'],
    ['a title that a bell ends', 'a\u001b]0;owned\u0007b', 'ab'],
    ['one byte controls', 'a\u009b31mb\u0085c', 'abc'],
    ['a direction', 'a\u202eb\u2066c\u200fd', 'abcd'],
    ['a line feed and a tab', 'a\nb\tc', 'a b  c'],
    ['a carriage return and a backspace', 'abc\rx\b', 'abcx'],
    ['half a character', 'a\ud83db', 'a\ufffdb'],
    ['a pile of accents', `a${'\u0301'.repeat(50)}b`, `a${'\u0301'.repeat(3)}b`],
  ])('%s', (_what, given, shown) => {
    expect(safe(given)).toBe(shown);
  });

  test('whatever it is', () => {
    const any = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u001b[', '\u001b]', '\u009b', '\u202e')),
    );
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 60 }), (parts, columns) => {
        const text = parts.join('');
        expect(safe(text)).not.toMatch(CONTROLS);
        expect(oneLine(text)).not.toMatch(CONTROLS);
        expect(columnsOf(inColumns(safe(text), columns))).toBe(columns);
        const lines = wrapped(text, columns);
        for (const line of lines) expect(line).not.toMatch(CONTROLS);
        // Wrapping removes blanks, and nothing else.
        const kept = text.split('\n').map(safe).join('');
        expect(lines.join('').replaceAll(' ', '')).toBe(kept.replaceAll(' ', ''));
      }),
    );
  });
});

test('a text takes exactly its columns, on either side', () => {
  expect(inColumns('日本語', 4)).toBe('日… ');
  expect(inColumns('12', 4, 'right')).toBe('  12');
  expect(inColumns('long words', 5)).toBe('long…');
});

test('a long line goes on in the next, and wide characters are not cut', () => {
  expect(wrapped('abcdef\ngh', 4)).toEqual(['abcd', 'ef', 'gh']);
  expect(wrapped('a日本b', 3)).toEqual(['a日', '本b']);
  expect(wrapped('', 4)).toEqual(['']);
});

test('a line is broken between words; a word that is longer than a line is not kept together', () => {
  expect(wrapped('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapped('run: tmux -L ralph-04b1 attach-session', 16)).toEqual([
    'run: tmux -L',
    'ralph-04b1',
    'attach-session',
  ]);
  expect(wrapped('a abcdefghij', 4)).toEqual(['a', 'abcd', 'efgh', 'ij']);
  expect(wrapped('    abcdef', 6)).toEqual(['    ab', 'cdef']);
});
