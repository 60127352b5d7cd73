import { expect, test } from 'vitest';
import { isPromised } from './request.ts';

const ANYWHERE = { promise: 'DONE', promisePosition: 'anywhere' } as const;
const END = { promise: 'DONE', promisePosition: 'end' } as const;

test.each([
  ['alone', ['<promise>DONE</promise>'], true],
  ['in a sentence', ['All is well: <promise>DONE</promise>, bye.'], true],
  ['in a code fence', ['```\n<promise>DONE</promise>\n```'], true],
  ['in an earlier message of the turn', ['<promise>DONE</promise>', 'Bye.'], true],
  ['another case', ['<promise>done</promise>'], false],
  ['another case of the tag', ['<Promise>DONE</Promise>'], false],
  ['a space inside', ['<promise> DONE</promise>', '<promise>DONE </promise>'], false],
  ['a line break inside', ['<promise>\nDONE\n</promise>'], false],
  ['a longer word', ['<promise>DONE!</promise>'], false],
  ['the bare word', ['DONE'], false],
  ['spread over two messages', ['<promise>DO', 'NE</promise>'], false],
  ['nothing', [], false],
])('anywhere: %s', (_what, texts, isGiven) => {
  expect(isPromised(ANYWHERE, texts)).toBe(isGiven);
});

test.each([
  ['the last line', ['I am through.\n<promise>DONE</promise>'], true],
  ['the last line, and line breaks behind it', ['Bye.\n  <promise>DONE</promise>\n\n'], true],
  ['the last line, and an empty message after it', ['<promise>DONE</promise>', ' \n'], true],
  ['in the last line, with more', ['So <promise>DONE</promise>'], false],
  ['the last but one', ['<promise>DONE</promise>\nBye.'], false],
  ['the last line of an earlier message', ['<promise>DONE</promise>', 'Bye.'], false],
])('at the end: %s', (_what, texts, isGiven) => {
  expect(isPromised(END, texts)).toBe(isGiven);
});

test('a promise with characters that are special elsewhere is just text', () => {
  expect(isPromised({ promise: 'a.*"b" $1', promisePosition: 'anywhere' }, ['<promise>a.*"b" $1</promise>'])).toBe(
    true,
  );
  expect(isPromised({ promise: 'a.c', promisePosition: 'anywhere' }, ['<promise>abc</promise>'])).toBe(false);
});
