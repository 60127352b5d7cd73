import { expect, test } from 'vitest';
import { readLibtest } from './libtest.ts';

/** Output of cargo 1.95. */
const OUTPUT = `   Compiling greet v0.1.0 (/tmp/greet)
     Running unittests src/lib.rs (target/debug/deps/greet-fbb50dbbfdf0f510)

running 5 tests
test tests::later ... ignored
test tests::by_name ... ok
test tests::stranger ... FAILED
test tests::panics - should panic ... ok
test tests::loud ... printed by a child
ok

failures:

---- tests::stranger stdout ----
thread 'tests::stranger' (2987) panicked at src/lib.rs:17:21:

failures:
    tests::stranger

test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass \`--lib\`
   Doc-tests greet

running 1 test
test src/lib.rs - greet (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`;

test('every test with its outcome; an example by its place without the line', () => {
  expect(readLibtest(OUTPUT)).toEqual([
    { name: 'src/lib.rs › tests::later', outcome: 'skipped' },
    { name: 'src/lib.rs › tests::by_name', outcome: 'passed' },
    { name: 'src/lib.rs › tests::stranger', outcome: 'failed' },
    { name: 'src/lib.rs › tests::panics', outcome: 'passed' },
    { name: 'src/lib.rs › tests::loud', outcome: 'passed' },
    { name: 'doc greet › src/lib.rs - greet', outcome: 'passed' },
  ]);
});

test('no tests are none; anything else is no report', () => {
  expect(readLibtest('running 0 tests\n\ntest result: ok. 0 passed\n')).toEqual([]);
  expect(readLibtest('error: could not compile `greet`\n')).toBeNull();
});
