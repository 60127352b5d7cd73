import { expect, test } from 'vitest';
import { parseDonePattern } from './done-pattern.ts';

/** What Python's `re.search` finds, and what it does not. */
const CASES: readonly [pattern: string, found: string[], missed: string[]][] = [
  ['All tasks complete', ['x All tasks complete y'], ['all tasks complete']],
  ['IMPLEMENTATION_PLAN.md.*100%', ['IMPLEMENTATION_PLAN.md is at 100%'], ['IMPLEMENTATION_PLAN.md\n100%']],
  ['(?i)done', ['DONE', 'Done'], ['don']],
  ['(?s)a.b', ['a\nb', 'a\rb'], []],
  ['a.b', ['a\rb', 'a\u2028b'], ['a\nb']],
  ['(?P<word>\\w+) (?P=word)', ['the the', 'größe größe'], ['the cat']],
  ['(\\w)\\1', ['aa'], ['ab']],
  ['\\Adone', ['done'], ['x\ndone']],
  ['done\\Z', ['done'], ['done\n', 'done x']],
  ['done$', ['done', 'done\n'], ['done\nx']],
  ['(?m)done$', ['done\nx'], ['done x']],
  ['^done', ['done'], ['x\ndone']],
  ['(?m)^done', ['x\ndone'], ['xdone', 'x\rdone']],
  ['(?im)^done$', ['x\nDONE\ny'], []],
  ['\\bdone\\b', ['is done.', 'done'], ['undone']],
  ['\\bé', ['é'], ['xé']],
  ['\\d+', ['٣'], ['x']],
  ['(?a)\\w', ['e'], ['é']],
  ['[]x]', [']'], ['y']],
  ['[^]x]', ['y'], [']']],
  ['[a\\]b]', [']'], []],
  ['[\\w-]+!', ['a-b!'], ['!']],
  ['[[]', ['['], ['x']],
  ['a{2}', ['aa'], ['a']],
  ['a{,2}b', ['aab', 'b'], []],
  ['{done}', ['{done}'], ['done']],
  ['a{', ['a{'], ['a']],
  ['x}', ['x}'], []],
  ['a]', ['a]'], []],
  ['\\-\\ \\#\\"\\%\\/', ['- #"%/'], []],
  ['\\x41\\u00e9', ['Aé'], []],
  ['\\U0001F600', ['😀'], []],
  ['\\0', [], ['x']],
  ['\\101', ['A'], []],
  ['(?#why)x', ['x'], []],
  ['(?:a|b)+?c', ['abc'], []],
  ['(?<=a)b(?!c)', ['ab'], ['abc', 'bb']],
  ['<promise>DONE</promise>', ['<promise>DONE</promise>'], []],
  ['a/b', ['a/b'], []],
  ['[$^.]', ['^'], ['a']],
  ['\\.\\*\\+\\?\\(\\)\\|\\^\\$', ['.*+?()|^$'], []],
];

test.each(CASES)('%s means what it means in Python', (pattern, found, missed) => {
  expect(found.filter((text) => !matches(pattern, text))).toEqual([]);
  expect(missed.filter((text) => matches(pattern, text))).toEqual([]);
});

test.each([
  ['(?x)a b', 'the flag (?x) is not supported'],
  ['(?L)a', 'the flag (?L) is not supported'],
  ['a(?i)b', 'flags such as (?i) must be at the beginning'],
  ['(?i:a)b', 'flags for a part of it, (?i:…), are not supported'],
  ['(?>a)b', 'an atomic group (?>…) is not supported'],
  ['(a)(?(1)b|c)', 'a conditional group (?(…)…|…) is not supported'],
  ['a++', 'a possessive repetition ++ is not supported'],
  ['a*+', 'a possessive repetition *+ is not supported'],
  ['a{2}+', 'a possessive repetition }+ is not supported'],
  ['\\q', 'the escape \\q is not supported'],
  ['\\N{DASH}', 'the escape \\N is not supported'],
  ['[\\W]', '\\W inside a class […] is not supported'],
  ['(', 'Unterminated group'],
  ['[a', 'a class [… is never closed'],
  ['*', 'Nothing to repeat'],
  ['a\\', 'it ends in a single backslash'],
])('%s is refused: %s', (pattern, why) => {
  expect(() => parseDonePattern(pattern)).toThrow(`invalid --done-pattern '${pattern}': ${why}`);
});

function matches(pattern: string, text: string): boolean {
  const expression = parseDonePattern(pattern);
  expression.lastIndex = 0;
  return expression.test(text);
}
