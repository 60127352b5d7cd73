/** One test in a report, whatever wrote it. */
export interface TestCase {
  /** The name that its runner gives it, with the suites around it. */
  readonly name: string;
  /** A test that is expected to fail, or is not written yet, counts as skipped: it proves nothing. */
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

/** Joins the names of suites and a test. */
export const joinNames = (...names: readonly string[]): string => names.filter((name) => name !== '').join(' › ');

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function countTests(tests: readonly TestCase[]): TestCounts {
  const count = (outcome: TestCase['outcome']): number => tests.filter((one) => one.outcome === outcome).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}
