import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutEcho } from './without-echo.ts';

const TAG = '<response>DONE</response>';

function heard(prompt: string, lines: readonly string[]): string[] {
  const filter = withoutEcho(prompt);
  return [...lines.flatMap((line) => filter.push(line)), ...filter.end()];
}

describe('a prompt of several lines', () => {
  const prompt = `Do the work.\nThen say ${TAG}.`;

  test('is removed when it is echoed verbatim', () => {
    expect(heard(prompt, ['before', ...prompt.split('\n'), 'after'])).toEqual(['before', '', 'after']);
  });

  test('is removed even with a prefix on its first line; what follows it is kept', () => {
    const lines = heard(prompt, ['> Do the work.', `Then say ${TAG}. OK!`]);
    expect(lines.join()).not.toContain(TAG);
    expect(lines.at(-1)).toBe(' OK!');
  });

  test('is kept if a single word differs: then it is the agent speaking', () => {
    const lines = ['Do the work.', `Then said ${TAG}.`];
    expect(heard(prompt, lines)).toEqual(lines);
  });

  test('is kept as far as it goes if it breaks off', () => {
    expect(heard(prompt, ['Do the work.'])).toEqual(['Do the work.']);
    expect(heard(prompt, ['Do the work.', 'something else'])).toEqual(['Do the work.', 'something else']);
  });

  test('holds back only what could still be its beginning', () => {
    const filter = withoutEcho(prompt);
    expect(filter.push('hello')).toEqual(['hello']);
    expect(filter.push('Do the work.')).toEqual([]);
    expect(filter.push('Do the work.')).toEqual(['Do the work.']);
    expect(filter.push(`Then say ${TAG}.`)).toEqual(['']);
    expect(filter.end()).toEqual([]);
  });

  test('with blank lines in it is recognised', () => {
    expect(heard('one\n\ntwo', ['one', '', 'two', 'three'])).toEqual(['', 'three']);
  });
});

test('whatever is printed, every verbatim echo is removed and every other line is kept, in order', () => {
  // Only a few words, so that partial, nested and repeated echoes are frequent.
  const words = fc.constantFrom('one', 'two', 'six');
  const printed = fc.array(fc.oneof({ weight: 6, arbitrary: words }, { weight: 1, arbitrary: fc.constant(TAG) }));
  fc.assert(
    fc.property(fc.array(words, { minLength: 2, maxLength: 4 }), printed, (prompt, lines) => {
      const echo = new RegExp(`\n${prompt.join('\n')}(?=\n)`, 'g');
      const rest = `\n${lines.join('\n')}\n`.replaceAll(echo, '\n').slice(1, -1);
      const expected = lines.length === 0 ? [] : rest.split('\n');
      expect(heard(prompt.join('\n'), lines)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

test('a prompt of one line is removed wherever it is', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.array(fc.string()), (words, around) => {
      fc.pre(words.trim() !== '' && !words.includes('\n'));
      const line = around.join(words);
      expect(heard(words, [line, 'x', line])).toEqual([line, 'x', line].map((text) => text.split(words).join('')));
    }),
  );
});

test.each(['', ' ', '\n', ' \n\t'])('without a prompt (%j) every line is passed on at once', (prompt) => {
  const filter = withoutEcho(prompt);
  expect(['a', '', 'b'].map((line) => filter.push(line))).toEqual([['a'], [''], ['b']]);
  expect(filter.end()).toEqual([]);
});
