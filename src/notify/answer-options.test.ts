import { expect, test } from 'vitest';
import { answerOptions } from './answer-options.ts';

test.each<[string, string[]]>([
  ['Which database?\n1) SQLite\n2) PostgreSQL', ['SQLite', 'PostgreSQL']],
  ['Which?\n- a\n- b\n- c', ['a', 'b', 'c']],
  ['Which?\n  a. Keep it\n  b. Drop it', ['Keep it', 'Drop it']],
  ['Shall I delete the table? (yes/no)', ['yes', 'no']],
  ['Use tabs or spaces? [tabs / spaces]', ['tabs', 'spaces']],
  ['Which database should the tests use?', []],
  ['Is src/a.ts right?', []],
  ['Is it (src/a/b/c/d.ts) there?', []],
  ['Only one:\n- a', []],
  ['Too many:\n- a\n- b\n- c\n- d', []],
  [`Too long:\n- ${'a'.repeat(41)}\n- b`, []],
  ['Controls:\n- \u001b[31mred\u0007\n- b', ['red', 'b']],
])('%j', (question, expected) => {
  expect(answerOptions(question)).toEqual(expected);
});
