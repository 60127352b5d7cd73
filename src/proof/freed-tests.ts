/** Which tests of the start are missing if the agent may change some test files: only the tests of these may go. */
import { hasPassed } from '../core/check.ts';
import { compareTests } from '../core/proof/compare-tests.ts';
import type { ClaimAsked } from '../core/proof/proof.ts';
import type { TestCase } from '../core/proof/test-case.ts';
import type { BaseTests } from './base-tests.ts';
import { type CleanResult, cleanRun, type ProofWorld } from './clean-run.ts';
import type { Freed } from './pins/pinned-files.ts';

/** By check; null for one that reports no tests. */
export type TestsOfChecks = ReadonlyMap<string, BaseTests[number]>;

interface FreedTests {
  readonly before: TestsOfChecks;
  readonly freed: Freed | null;
  /** The name, in its logs, of the run that finds out which tests are in freed files. */
  readonly name: string;
}

export function missingTests(world: ProofWorld, asked: ClaimAsked, { before, freed, name }: FreedTests) {
  let toStay: Promise<TestsOfChecks> | null = null;
  return async function missing(command: string, now: readonly TestCase[], byName: boolean): Promise<string[]> {
    const all = before.get(command) ?? [];
    toStay ??= freed === null ? Promise.resolve(before) : testsToStay(world, asked, { before, freed, name });
    const tests = (await toStay).get(command) ?? null;
    // If this is unknown, a test that goes must be replaced by another one.
    return [...(tests === null ? compareTests(all, now, false) : compareTests(tests, now, byName)).missing];
  };
}

/**
 * Reports do not name files, so this runs the tree of the start without the freed files: the tests that remain are in
 * the others. Null if that does not tell.
 */
async function testsToStay(
  world: ProofWorld,
  { base, terms, checks }: ClaimAsked,
  { before, freed, name }: FreedTests & { readonly freed: Freed },
): Promise<TestsOfChecks> {
  const { results } = await cleanRun(world, {
    at: base.at.at,
    isSnapshot: true,
    setup: terms.setup,
    checks,
    name,
    files: new Map(freed.files.map((path) => [path, null])),
    mayBeEmpty: () => true,
  });
  return new Map(
    results.map((result) => {
      const { command } = result.check;
      const isTold = tellsWhose(result, before.get(command) ?? []);
      return [command, isTold ? result.tests : freed.areAll ? [] : null];
    }),
  );
}

/** Without these files other tests may not even be found: one of them was a helper, or a command names it. */
function tellsWhose({ check, tests }: CleanResult, before: readonly TestCase[]): boolean {
  if (tests === null) return false;
  const failed = tests.filter(({ outcome }) => outcome === 'failed');
  const failedBefore = new Set(before.flatMap(({ name, outcome }) => (outcome === 'failed' ? [name] : [])));
  return failed.every(({ name }) => failedBefore.has(name)) && (hasPassed(check) || failed.length > 0);
}
