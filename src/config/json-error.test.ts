import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placesInJson } from '../core/text/json-fault.ts';
import { frame, jsonError } from './json-error.ts';

test.each<[string, string, string]>([
  ['a trailing comma', '{\n  "a": 1,\n}', '2:9: remove the comma after the last value'],
  ['a trailing comma in a list', '{"a": [1, 2,]}', '1:12: remove the comma after the last value'],
  ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', '2:9: expected "," or "}"'],
  ['a missing comma in a list', '[1 2]', '1:3: expected "," or "]"'],
  ['a missing brace', '{\n  "a": {\n    "b": 1\n  }\n', '4:4: expected "}" to close the "{" of line 1'],
  ['a missing bracket', '{"a": [1, 2}', '1:12: expected "]" to close the "[" of line 1, found "}"'],
  ['a text that breaks off', '{"agent":', '1:10: expected "}" to close the "{" of line 1'],
  ['single quotes', "{'a': 1}", '1:2: use double quotes: "…"'],
  ['single quotes around a value', `{"a": 'b'}`, '1:7: use double quotes: "…"'],
  ['typographic quotes', '{"a": “b”}', '1:7: use double quotes: "…"'],
  ['a comment', '{\n  // why\n  "a": 1}', '2:3: JSON has no comments; remove this one'],
  ['a comment behind a value', '{"a": 1 /* x */}', '1:9: JSON has no comments; remove this one'],
  ['a comment of a shell', '# x\n{}', '1:1: JSON has no comments; remove this one'],
  ['a key without quotes', '{agent: 1}', '1:2: put the key in double quotes: "agent"'],
  ['a word without quotes', '{"command": claude}', '1:13: put text in double quotes: "claude"'],
  ['a literal of Python', '{"a": True}', '1:7: write true, not True'],
  ['a word that every object knows', '{"a": constructor}', '1:7: put text in double quotes: "constructor"'],
  ['None', '{"a": None}', '1:7: write null, not None'],
  ['a missing colon', '{"a" 1}', '1:5: expected ":" after the key'],
  ['a missing value', '{"a": , "b": 1}', '1:7: expected a value'],
  ['a string without an end', '{\n  "a": "b\n}', '2:8: this string has no closing quote'],
  ['an escape that is none', '{"a": "\\d+"}', '1:8: \\d is not an escape in JSON; for a backslash write \\\\'],
  [
    'a backslash at the end of a line',
    '{"a": "b\\\nc"}',
    '1:9: \\ is not an escape in JSON; for a backslash write \\\\',
  ],
  ['a tab in a string', '{"a": "b\tc"}', '1:9: a string cannot hold this character; write it as an escape such as \\t'],
  ['data', '{"a": \0\uFFFD}', '1:7: this is not valid JSON: the file holds data, not text'],
  ['nothing', ' \n', '2:1: the file is empty; expected {}'],
  ['two values', '{}\n{}', '2:1: expected the end of the file after the last "}"'],
])('%s', (_what, text, said) => {
  expect(jsonError(text, 'f')?.split('\n')[0]).toBe(`f:${said}`);
});

test('a text that is JSON has no error', () => expect(jsonError('{"a": [1, {"b": null}]}', 'f')).toBeNull());

describe('the line below it', () => {
  test('has a caret under the place', () => {
    expect(jsonError('{\n  "a": 1,\n}', 'f')).toBe(
      ['f:2:9: remove the comma after the last value', '  2 |   "a": 1,', '    |         ^'].join('\n'),
    );
  });

  test('counts columns, not characters', () => {
    expect(frame('{"名前": x}', 7)).toEqual(['  1 | {"名前": x}', `    | ${' '.repeat(9)}^`]);
  });

  test.each([0, 40, 99, 150, 199])('a long line is cut around the place: %s', (at) => {
    const text = Array.from({ length: 200 }, (_, index) => String(index % 10)).join('');
    const [line = '', caret = ''] = frame(text, at);
    expect(line.length).toBeLessThanOrEqual(80);
    expect(line[caret.indexOf('^')]).toBe(text[at]);
  });
});

test('every text that is not JSON has a sentence and a place in it', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.json(), fc.string()),
      fc.nat(),
      fc.constantFrom('', '"', "'", ',', '}', ']', '\\', '\n'),
      (text, nth, piece) => {
        const at = nth % (text.length + 1);
        const broken = text.slice(0, at) + piece + text.slice(at + 1);
        const error = jsonError(broken, 'f');
        // Our own parser gives the same messages in every release of Node, and must accept what Node's accepts.
        expect(error === null).toBe(isJson(broken));
        if (error === null) return;
        const [, line] = /^f:(\d+):\d+: \S/.exec(error) ?? [];
        expect(Number(line)).toBeLessThanOrEqual(broken.split('\n').length);
        expect([1, 3]).toContain(error.split('\n').length);
      },
    ),
    { numRuns: 2000 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the place of a value', () => {
  const text = '{\n  "a": [1, {"b": "c"}],\n  "d": {}\n}';
  test.each([
    [['a'], '[1, {', '"a": ['],
    [['a', 1, 'b'], '"c"}]', '"b": "c"'],
    [['d'], '{}\n}', '"d": {}'],
  ])('%j', (path, value, key) => {
    const places = placesInJson(text, path);
    expect(text.slice(places?.value).startsWith(value)).toBe(true);
    expect(text.slice(places?.key ?? -1).startsWith(key)).toBe(true);
  });

  test.each([[['x']], [['a', 7]], [['a', 0, 'b']]])('there is none: %j', (path) => {
    expect(placesInJson(text, path)).toBeNull();
  });

  test('is found in every JSON', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__'),
          fc.jsonValue(),
        ),
        (value) => {
          const pretty = JSON.stringify(value, null, 2);
          for (const [key, inner] of Object.entries(value)) {
            const places = placesInJson(pretty, [key]);
            expect(pretty.slice(places?.key ?? -1).startsWith(JSON.stringify(key))).toBe(true);
            const own = JSON.stringify(inner, null, 2).replaceAll('\n', '\n  ');
            expect(pretty.slice(places?.value).startsWith(own)).toBe(true);
          }
        },
      ),
    );
  });
});
