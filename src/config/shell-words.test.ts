import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shellWords } from './settings.ts';

describe('a flag is split as a shell would', () => {
  test.each([
    ['--model opus', ['--model', 'opus']],
    ['--model=opus', ['--model=opus']],
    ['  -a \t -b\n-c ', ['-a', '-b', '-c']],
    ["--say 'two words'", ['--say', 'two words']],
    ['--say "two words"', ['--say', 'two words']],
    ['a\\ b', ['a b']],
    ['--x="a b"\'c d\'e', ['--x=a bc de']],
    ['""', ['']],
    [`--say ''`, ['--say', '']],
    ['"a\\"b\\\\c\\d"', ['a"b\\c\\d']],
    [`'a\\b"c'`, ['a\\b"c']],
    ['', []],
    ['  ', []],
  ])('%j', (text, words) => {
    expect(shellWords(text)).toEqual(words);
  });

  test('whatever is quoted comes out as it went in', () => {
    const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (words) => {
        expect(shellWords(words.map(quoted).join(' '))).toEqual(words);
      }),
    );
  });

  test('as the real one does', () => {
    const piece = fc.constantFrom('a', '-', '=', ' ', '  ', '\\ ', "'b c'", '"d e"', '"\\""', "'\\'", '\\"');
    const texts = fc.sample(
      fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
      200,
    );
    const script = texts.map((text) => `show ${text}`).join('\n');
    const output = execFileSync(
      'sh',
      ['-c', `show() { for word; do printf '%s\\t' "$word"; done; echo; }\n${script}`],
      { encoding: 'utf8' },
    );
    const real = output.split('\n').slice(0, -1);
    expect(
      texts.map((text) =>
        shellWords(text)
          .map((word) => `${word}\t`)
          .join(''),
      ),
    ).toEqual(real);
  });
});

test('nothing is expanded', () => {
  const text = '$HOME $(id) `id` *.ts ~ {a,b} a;b a|b a&b >x';
  expect(shellWords(text)).toEqual(text.split(' '));
});
