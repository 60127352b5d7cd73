import { expect, test } from 'vitest';
import { COMMAND } from '../core/check.ts';
import { CHECK_KINDS } from './index.ts';

test('every kind has a name of its own, and one is a command', () => {
  const names = CHECK_KINDS.map(({ kind }) => kind);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain(COMMAND);
});

test('every key says in a sentence what it is', () => {
  const sentences = CHECK_KINDS.flatMap(({ keys }) => Object.values(keys).map(({ what }) => what));
  expect(sentences.filter((what) => !/^[A-Z].*\.$/.test(what))).toEqual([]);
});

test('no kind has a key that all guardrails have', () => {
  const keys = CHECK_KINDS.flatMap((kind) => Object.keys(kind.keys));
  expect(keys.filter((key) => ['kind', 'failAction', 'hint', 'timeout'].includes(key))).toEqual([]);
});
