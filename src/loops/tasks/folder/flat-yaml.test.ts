import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { flatLine, readFlat } from './flat-yaml.ts';

test('what is written is read by us as by every reader of YAML', () => {
  const scalar = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.constantFrom('null', 'Yes', '-1', '0x1', '1e3', '~', '', '2026-02-20T15:30:45.123Z', '/a/b c', 'a: b', '# c'),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z][a-z_]{0,8}$/), scalar, { minKeys: 1, noNullPrototype: true }),
      (fields) => {
        const text = Object.entries(fields)
          .map(([key, value]) => flatLine(key, value))
          .join('');
        expect(readFlat(text)).toEqual(fields);
        expect(parse(text)).toEqual(fields);
      },
    ),
  );
});

test.each([
  '',
  'a',
  'a:',
  'a: null',
  '__proto__: 1',
  'a: yes',
  "a: 'quoted'",
  'a: "\\x41"',
  'a: [1]',
  'a: 1 # one',
  'a: 1\n  b: 2',
  'a: 1\na: 2',
  'a: |\n  text',
  '{{{',
])('%j is left to a reader of all YAML', (text) => {
  expect(readFlat(text)).toBeNull();
});
