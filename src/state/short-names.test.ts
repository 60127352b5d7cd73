import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownPart, shortNameAmong, shortNames } from './short-names.ts';

const session = (part: string): string => `session-${part}-0000-4000-8000-000000000000`;

test('a name has four characters, and as many more as it takes to mean no other loop', () => {
  const ids = ['20260101-000000-9e3779b1', '20260101-000000-9e37aaaa', '20260102-000000-12345678', session('9e3779ff')];
  expect([...shortNames(ids).values()]).toEqual(['9e3779b', '9e37a', '1234', '9e3779f']);
});

test('the name of one among others is the one that a list of all of them shows', () => {
  const hex = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16).padStart(8, '0'));
  const id = fc.oneof(
    hex.map((part) => `20260101-000000-${part}`),
    hex.map(session),
    fc.tuple(hex, fc.nat(3)).map(([part, turn]) => `${session(part)}.${turn}`),
  );
  fc.assert(
    fc.property(fc.array(id, { minLength: 1, maxLength: 30 }), (ids) => {
      const names = shortNames(ids);
      for (const each of ids) expect(shortNameAmong(ids, each)).toBe(names.get(each));
      expect(new Set(names.values()).size).toBe(new Set(ids).size);
      for (const [one, name] of names) expect(one === name || ownPart(one).startsWith(name)).toBe(true);
    }),
  );
});
