import { expect, test } from 'vitest';
import { declaresTests, declaringFiles, rustTests, withRustTests } from './pinned-rust.ts';

const BRACES = `let _ = ('{', "}", r#"}"#, b'{', '\\''); /* } */ // }\n`;
const MODULE = `#[cfg(test)]\n#[allow(dead_code)]\nmod tests {\n    #[test]\n    fn a<'a>() { if true { ${BRACES} } }\n}`;

test('modules of tests are found, whatever braces they contain', () => {
  expect(rustTests(`fn x() {}\n\n${MODULE}\n\nfn y() {}\n`)).toBe(MODULE);
  expect(rustTests('fn x() {}\n')).toBe('');
});

test('the start’s modules of tests replace the current ones, and the product stays', () => {
  const before = `fn x() { 1 }\n\n${MODULE}\n`;
  const now = before.replace('fn x() { 1 }', 'fn x() { 2 }').replace('fn a', '#[ignore]\n    fn a');
  expect(withRustTests(now, before)).toBe(before.replace('1', '2'));
  expect(withRustTests('fn x() { 2 }\n', before)).toBe(`fn x() { 2 }\n\n${MODULE}\n`);
});

test('if there were none, new ones stay', () => {
  expect(withRustTests(`fn x() {}\n\n${MODULE}\n`, 'fn x() {}\n')).toBe(`fn x() {}\n\n${MODULE}\n`);
});

test('a test module in a file of its own is known by its declaration, whose path is pinned', () => {
  const before = 'fn x() {}\n\n#[cfg(test)]\nmod checks;\n';
  expect([declaresTests(before, 'checks'), declaresTests('mod checks;\n', 'checks')]).toEqual([true, false]);
  const now = before.replace('#[cfg', '#[path = "fake.rs"]\n#[cfg');
  expect(withRustTests(now, before)).toBe(before);
  expect(declaringFiles('src/a/checks.rs')).toEqual(
    ['src/a/mod.rs', 'src/a/lib.rs', 'src/a/main.rs', 'src/a.rs'].map((file) => [file, 'checks']),
  );
  expect(declaringFiles('src/checks/mod.rs')).toContainEqual(['src/lib.rs', 'checks']);
});
