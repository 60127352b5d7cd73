/** Reads the JSON of jest, vitest, mocha and pytest (pytest-json-report). */
import { joinNames, type TestCase } from '../../core/proof/test-case.ts';

type Json = Readonly<Record<string, unknown>>;

/** Null if it is none of them. */
export function readJsonReport(text: string): TestCase[] | null {
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    // Another format, or cut off.
    return null;
  }
  const { testResults, tests, passes, failures, pending } = objectOf(report);
  if (Array.isArray(testResults)) return testResults.flatMap(fileOfJest);
  if (Array.isArray(passes) && Array.isArray(failures)) {
    const skipped = Array.isArray(pending) ? pending : [];
    return [...casesOf(passes, 'passed'), ...casesOf(failures, 'failed'), ...casesOf(skipped, 'skipped')];
  }
  return Array.isArray(tests) ? tests.map(testOfPytest) : null;
}

/** A file that could not be loaded counts as a failed test. */
function fileOfJest(file: unknown): TestCase[] {
  const { name, status, assertionResults } = objectOf(file);
  const tests = Array.isArray(assertionResults) ? assertionResults.map(objectOf) : [];
  const cases = tests.map(({ fullName, title, status: outcome }): TestCase => {
    const own = textOf(fullName) || textOf(title);
    return { name: joinNames(lastPart(textOf(name)), own), outcome: JEST[textOf(outcome)] ?? 'skipped' };
  });
  const isBroken = status === 'failed' && !cases.some(({ outcome }) => outcome === 'failed');
  return isBroken ? [...cases, { name: textOf(name), outcome: 'failed' }] : cases;
}

const JEST: Readonly<Record<string, TestCase['outcome']>> = { passed: 'passed', failed: 'failed' };

function casesOf(tests: readonly unknown[], outcome: TestCase['outcome']): TestCase[] {
  return tests.map((test) => ({ name: textOf(objectOf(test).fullTitle), outcome }));
}

const PYTEST: Readonly<Record<string, TestCase['outcome']>> = { passed: 'passed', failed: 'failed', error: 'failed' };

function testOfPytest(test: unknown): TestCase {
  const { nodeid, outcome } = objectOf(test);
  return { name: textOf(nodeid), outcome: PYTEST[textOf(outcome)] ?? 'skipped' };
}

const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
