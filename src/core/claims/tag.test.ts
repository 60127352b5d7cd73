import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runNode } from '../../../test/support/programs/node-program.ts';
import { listenForTag, sameResponse } from './tag.ts';

function heard(text: string, { multiline = false, tag = 'response' } = {}): string | null {
  return heardIn([text], multiline, tag);
}

function heardIn(pieces: readonly string[], multiline = false, tag = 'response'): string | null {
  const listener = listenForTag(tag, multiline);
  for (const piece of pieces) listener.hear(piece);
  return listener.heard();
}

describe('the content of a tag', () => {
  test.each([
    ['plain', 'I am <response>DONE</response>.', 'DONE'],
    ['in any case of the tag', '<RESPONSE>Done</Response>', 'Done'],
    ['verbatim, with its spaces', '<response> a  b </response>', ' a  b '],
    ['empty', '<response></response>', ''],
    ['with an angle bracket in it', '<response>a < b</response>', 'a < b'],
    ['up to the first end', '<response>a</response></response>', 'a'],
    ['from the first beginning', '<response>a<response>b</response>', 'a<response>b'],
  ])('is found: %s', (_how, text, content) => {
    expect(heard(text)).toBe(content);
  });

  test.each([
    'no tag',
    '<response>never closed',
    'never opened</response>',
    '<response >DONE</response>',
    '< response>DONE</response>',
    '<respons>DONE</respons>',
  ])('is not found in %j', (text) => {
    expect(heard(text)).toBeNull();
  });

  test('is that of the first tag, whatever follows in later pieces', () => {
    expect(heard('<response>one</response> <response>two</response>')).toBe('one');
    expect(heardIn(['<response>one</response>', '<response>two</response>'])).toBe('one');
  });

  test('contains a line break only if several lines were asked for', () => {
    const text = '<response>one\ntwo</response>';
    expect(heard(text)).toBeNull();
    expect(heard(text, { multiline: true })).toBe('one\ntwo');
  });

  test('is found after an opening tag whose line ended, as seed 001 asks', () => {
    expect(heard('<response>cut\noff</response> <response>whole</response>')).toBe('whole');
  });

  test('a tag name that is special in a pattern is taken literally', () => {
    expect(heard('<axb>no</axb> <a.b>yes</a.b>', { tag: 'a.b' })).toBe('yes');
  });
});

test('a tag is found wherever its text is cut in two, or into single characters', () => {
  const text = 'well: <response>DONE</response>!';
  for (let cut = 0; cut <= text.length; cut++) {
    expect(heardIn([text.slice(0, cut), text.slice(cut)]), `cut at ${cut}`).toBe('DONE');
  }
  expect(heardIn([...text])).toBe('DONE');
});

test.each([false, true])(
  'any text in any pieces gives the same content as the pattern of seed 001 (several lines: %s)',
  (multiline) => {
    const pattern = multiline ? /<response>([\s\S]*?)<\/response>/i : /<response>([^\n]*?)<\/response>/i;
    const piece = fc.constantFrom(
      '<response>',
      '</response>',
      '<RESPONSE>',
      '<respon',
      'se>',
      '</',
      '<',
      '>',
      '\n',
      'a',
      '\u2028',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(60)), (parts, cuts) => {
        const text = parts.join('');
        const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        expect(heardIn(pieces, multiline)).toBe(pattern.exec(text)?.[1] ?? null);
      }),
      { numRuns: 1000 },
    );
  },
);

describe('a tag that is never closed', () => {
  test('is given up after 64 KiB, and the next one is found', () => {
    const beginning = `<response>${'x'.repeat(64 * 1024 + 1)}`;
    expect(heard(`${beginning}</response>`)).toBeNull();
    expect(heardIn([beginning, 'x', '<response>ok</response>'])).toBe('ok');
    expect(heard(`<response>${'x'.repeat(64 * 1024)}</response>`)).toHaveLength(64 * 1024);
  });

  test('takes no more memory however much follows it, and neither does text without a tag', async () => {
    const { exitCode, output } = await runNode(
      `import { listenForTag } from './src/core/claims/tag.ts';
       const listener = listenForTag('response', true);
       for (const before of ['', '<response>']) {
         for (let i = 0; i < 3000; i++) listener.hear(before + String(i).repeat(5_000));
       }
       console.log(listener.heard());`,
      ['--max-old-space-size=24'],
    );
    expect(output).toBe('null\n');
    expect(exitCode).toBe(0);
  });
});

describe('if quoted tags are skipped', () => {
  const unquoted = (...pieces: string[]): string | null => {
    const listener = listenForTag('response', false, true);
    for (const piece of pieces) listener.hear(piece);
    return listener.heard();
  };
  const TAG = '<response>DONE</response>';

  test.each([
    ['in a sentence', `I may answer "${TAG}" only when I know.`],
    ['in backticks', `then say \`${TAG}\``],
    ['in other quotation marks', `Ich sage “${TAG}” noch nicht.`],
  ])('one that is only mentioned %s does not count, in whatever pieces it comes', (_where, text) => {
    expect(unquoted(text)).toBeNull();
    expect(unquoted(...text)).toBeNull();
    expect(unquoted(text, `\n${TAG}`)).toBe('DONE');
  });

  test.each([TAG, `All done. ${TAG}`, `\`${TAG}\``, `It's done: ${TAG}`, `"Quoted," I said.\n"${TAG}"`])(
    'one that is meant counts: %s',
    (text) => {
      expect(unquoted(text)).toBe('DONE');
      expect(unquoted(...text)).toBe('DONE');
    },
  );
});

test('a response is the expected one if it differs only in case', () => {
  expect(sameResponse('dOnE', 'DONE')).toBe(true);
  expect(sameResponse(' DONE', 'DONE')).toBe(false);
  expect(sameResponse('', 'DONE')).toBe(false);
  expect(sameResponse(null, '')).toBe(false);
});
