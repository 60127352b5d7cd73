/** Reads the output of `cargo test`, as Rust's own test runner prints it. */
import { joinNames, type TestCase } from '../../core/proof/test-case.ts';

const BINARY = /^\s*(?:Running (?:unittests )?(\S+) \(|Doc-tests (\S+))/;
const BEGIN = /^running \d+ tests?$/;
const TEST = /^test (.+?)(?: - should panic)? \.\.\. (.*)$/;
const LISTED = /^ {4}(\S.*)$/;

/** Null if there is none. */
export function readLibtest(text: string): TestCase[] | null {
  const cases = new Map<string, TestCase['outcome']>();
  let binary = '';
  let isLibtest = false;
  let isListing = false;
  for (const line of text.split(/\r?\n/)) {
    const [, ran, documented] = BINARY.exec(line) ?? [];
    if (ran !== undefined || documented !== undefined) binary = ran ?? `doc ${documented ?? ''}`;
    if (BEGIN.test(line)) isLibtest = true;
    if (line === 'failures:' || line.startsWith('test result:')) isListing = line === 'failures:';
    const [, name, said = ''] = TEST.exec(line) ?? [];
    if (name !== undefined) cases.set(nameOf(binary, name), outcomeOf(said));
    // A test's own output can hide its outcome; the list at the end names all failures.
    const [, listed] = isListing ? (LISTED.exec(line) ?? []) : [];
    if (listed !== undefined && cases.has(nameOf(binary, listed))) cases.set(nameOf(binary, listed), 'failed');
  }
  return isLibtest ? [...cases].map(([name, outcome]) => ({ name, outcome })) : null;
}

function outcomeOf(said: string): TestCase['outcome'] {
  if (said.endsWith('FAILED')) return 'failed';
  return said.startsWith('ignored') ? 'skipped' : 'passed';
}

/** A documentation example is named after its line number, which changes with every edit above it. */
const nameOf = (binary: string, name: string): string => joinNames(binary, name.replace(/ \(line \d+\)/, ''));
