import { expect, test } from 'vitest';
import { rustTests, withRustTests } from './pinned-rust.ts';

const BRACES = `let _ = ('{', "}", r#"}"#, b'{', '\\''); /* } */ // }\n`;
const MODULE = `#[cfg(test)]\n#[allow(dead_code)]\nmod tests {\n    #[test]\n    fn a<'a>() { if true { ${BRACES} } }\n}`;

test('the modules of tests are found, whatever braces are in them', () => {
  expect(rustTests(`fn x() {}\n\n${MODULE}\n\nfn y() {}\n`)).toBe(MODULE);
  expect(rustTests('fn x() {}\n')).toBe('');
});

test('those of the start take the place of those that are there now, and the product stays', () => {
  const before = `fn x() { 1 }\n\n${MODULE}\n`;
  const now = before.replace('fn x() { 1 }', 'fn x() { 2 }').replace('fn a', '#[ignore]\n    fn a');
  expect(withRustTests(now, before)).toBe(before.replace('1', '2'));
  expect(withRustTests('fn x() { 2 }\n', before)).toBe(`fn x() { 2 }\n\n${MODULE}\n`);
});

test('where there were none, new ones stay', () => {
  expect(withRustTests(`fn x() {}\n\n${MODULE}\n`, 'fn x() {}\n')).toBe(`fn x() {}\n\n${MODULE}\n`);
});
