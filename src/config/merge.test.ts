import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFields } from '../core/text/json.ts';
import { deepMerge } from './settings.ts';

/** Values from JSON without null, in which `__proto__` is a key like any other. */
const json = fc
  .jsonValue({ maxDepth: 4 })
  .map(
    (value): unknown =>
      JSON.parse(JSON.stringify(value), (_key, inner: unknown) => (inner === null ? 0 : inner)) as unknown,
  );
const object = fc.dictionary(fc.string(), json);

describe('a file laid over another', () => {
  test('replaces values, adds keys and keeps the rest, however deep', () => {
    const base = { a: 1, deep: { b: 1, deeper: { c: 1, d: 1 } } };
    const over = { e: 2, deep: { deeper: { c: 2 }, f: 2 } };
    expect(deepMerge(base, over)).toEqual({ a: 1, e: 2, deep: { b: 1, f: 2, deeper: { c: 2, d: 1 } } });
  });

  test.each<[string, unknown, unknown]>([
    ['a list with a shorter one', [1, 2, 3], [4]],
    ['a list with an empty one', [1], []],
    ['a list of objects', [{ a: 1 }], [{ b: 2 }]],
    ['a list with an object', [1], { a: 1 }],
    ['an object with a list', { a: 1 }, [1]],
    ['null with an object', null, { a: 1 }],
    ['a value with false', true, false],
  ])('replaces %s as a whole', (_what, base, over) => {
    expect(deepMerge({ key: base }, { key: over })).toEqual({ key: over });
  });

  test('takes out with null what stands below, or would stand above', () => {
    const base = { a: 1, list: [1], deep: { b: 1, c: 1 } };
    expect(deepMerge(base, { a: null, list: null, deep: { b: null }, other: { d: null } })).toEqual({
      deep: { c: 1 },
      other: {},
    });
    expect(deepMerge({ list: [1, null] }, { other: [null] })).toEqual({ list: [1, null], other: [null] });
  });

  test('changes neither', () => {
    const base = Object.freeze({ a: Object.freeze({ b: 1 }) });
    const over = Object.freeze({ a: Object.freeze({ c: 2 }) });
    expect(deepMerge(base, over)).toEqual({ a: { b: 1, c: 2 } });
    expect([base, over]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });
});

describe('for whatever the files hold', () => {
  test('laying the same file over again changes nothing', () => {
    fc.assert(
      fc.property(json, json, (base, over) => {
        const once = deepMerge(base, over);
        expect(JSON.stringify(deepMerge(once, over))).toBe(JSON.stringify(once));
      }),
    );
  });

  test('a file over itself, over nothing, or under nothing is itself', () => {
    fc.assert(
      fc.property(object, (file) => {
        for (const merged of [deepMerge(file, file), deepMerge({}, file), deepMerge(file, {})]) {
          expect(JSON.stringify(merged)).toBe(JSON.stringify(file));
        }
      }),
    );
  });

  test('the keys are those of both, and each list or value of the upper one is in the result', () => {
    fc.assert(
      fc.property(object, object, (base, over) => {
        const merged = deepMerge(base, over);
        if (!isFields(merged)) throw new Error('two objects make one');
        expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(base), ...Object.keys(over)]));
        const values = Object.entries(over).filter(([, value]) => !isFields(value));
        expect(values.map(([key]) => merged[key])).toEqual(values.map(([, value]) => value));
      }),
    );
  });
});

describe('a file that names __proto__', () => {
  const evil: unknown = JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
  );

  test.each<[string, unknown, unknown]>([
    ['above', { a: 1 }, evil],
    ['below', evil, { a: 1 }],
    ['twice', evil, evil],
    ['deep', { deep: { a: 1 } }, { deep: evil }],
  ])('harms no object: %s', (_where, base, over) => {
    const merged = deepMerge(base, over);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((merged as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('has it as a key like any other, for the schema to refuse', () => {
    expect(Object.keys(deepMerge({ a: 1 }, evil) as object)).toEqual(['a', '__proto__', 'constructor']);
  });
});

test.each<[unknown, boolean]>([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['text', false],
  [7, false],
])('%j is an object with keys: %s', (value, expected) => {
  expect(isFields(value)).toBe(expected);
});
