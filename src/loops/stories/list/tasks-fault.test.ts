import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { whereIn } from './tasks.ts';

test.each<[string, string, number, number]>([
  ['nothing', '', 1, 1],
  ['a comma too many', '{\n  "a": 1,\n}', 3, 1],
  ['a comma too few', '{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['a comma too many in an array', '[1,\n 2, ]', 2, 5],
  ['a key without quotes', '{a: 1}', 1, 2],
  ['single quotes', "{\n\t'a': 1}", 2, 2],
  ['a line break in a string', '{"a": "b\nc"}', 1, 9],
  ['an escape that is none', '{"a": "\\x"}', 1, 8],
  ['a string without an end', '{"a": "b', 1, 9],
  ['a comment', '// x\n{}', 1, 1],
  ['two values', '{}\n{}', 2, 1],
  ['the wrong bracket', '{"a": [1}', 1, 9],
  ['a word', '{"a": True}', 1, 7],
  ['a number with a zero before it', '[01]', 1, 3],
])('reports %s', (_title, text, line, column) => {
  expect(whereIn(text)).toBe(` (line ${line}, column ${column})`);
});

const json = fc.json().map((text) => JSON.stringify(JSON.parse(text), null, 2));
const PIECES = [
  '',
  '"',
  "'",
  ',',
  ':',
  '{',
  '}',
  '[',
  ']',
  '\\',
  '\\u12',
  'x',
  '0',
  '-',
  '.',
  'e',
  '\n',
  '\0',
  '\u2028',
  '\u007f',
];
const broken = fc.tuple(json, fc.nat(), fc.nat(3), fc.constantFrom(...PIECES)).map(([text, from, length, piece]) => {
  const at = from % (text.length + 1);
  return text.slice(0, at) + piece + text.slice(at + length);
});

test('finds a fault exactly where JSON.parse finds one, and on the line that it names, if it names one', () => {
  let named = 0;
  fc.assert(
    fc.property(fc.oneof(json, broken, fc.string()), (text) => {
      const message = messageOf(text);
      const line = /^ \(line (\d+), column \d+\)$/.exec(whereIn(text))?.[1];
      expect(line !== undefined).toBe(message !== null);
      const position = /at position (\d+)/.exec(message ?? '')?.[1];
      if (position === undefined) return;
      named++;
      const before = text.slice(0, Number(position)).split('\n');
      expect(Number(line)).toBe(before.length);
    }),
    { numRuns: 5000 },
  );
  expect(named).toBeGreaterThan(50);
});

function messageOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}
