/** Compares the tests of a run with those of the start: an exit code does not show that some are gone. Pure. */
import { plural } from '../budget/usage.ts';
import { namesOf } from './names-of.ts';
import type { TestCase } from './test-case.ts';

export interface TestChanges {
  /** They ran at the start and are gone now. */
  readonly missing: readonly string[];
  /** They ran at the start and are skipped now. */
  readonly skipped: readonly string[];
  /** They passed at the start and fail now. Only for checks that do not count: others fail as a whole then. */
  readonly failing?: readonly string[];
}

/**
 * A name can stand for several tests, for example in several files. `byName`: the tests are, or should be, those of the
 * start, so each of them must exist. Otherwise there must not be fewer: a test may have been renamed.
 */
export function compareTests(before: readonly TestCase[], now: readonly TestCase[], byName: boolean): TestChanges {
  const left = counted(now);
  const gone = before.filter(({ name }) => {
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count <= 0;
  });
  const isMissed = ({ name, outcome }: TestCase): boolean =>
    outcome === 'passed' || (outcome === 'failed' && !isNameOfSuite(name));
  const missing = byName || now.length < before.length ? gone.filter(isMissed).map(({ name }) => name) : [];
  const wereSkipped = counted(before.filter(isSkipped));
  const known = new Set(before.map(({ name }) => name));
  const skipped = [...counted(now.filter(isSkipped))].flatMap(([name, count]) => {
    const more = count - (wereSkipped.get(name) ?? 0);
    // A new test that is skipped takes nothing away.
    return known.has(name) && more > 0 ? [name] : [];
  });
  return { missing, skipped };
}

/** Files that could not be loaded at the start and now pass as a single test: if they contain tests, none was run. */
export function emptySuites(before: readonly TestCase[], now: readonly TestCase[]): string[] {
  const passed = new Set(now.filter(({ outcome }) => outcome === 'passed').map(({ name }) => name));
  const broken = before.filter(({ name, outcome }) => outcome === 'failed' && isNameOfSuite(name) && passed.has(name));
  return broken.map(({ name }) => name);
}

/** If a name stands for several tests, as many of them must pass as at the start. */
export function failingTests(before: readonly TestCase[], now: readonly TestCase[]): string[] {
  const isPassed = ({ outcome }: TestCase): boolean => outcome === 'passed';
  const [did, does] = [counted(before.filter(isPassed)), counted(now.filter(isPassed))];
  const failed = new Set(now.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name));
  return [...did].flatMap(([name, count]) => (failed.has(name) && (does.get(name) ?? 0) < count ? [name] : []));
}

export const isSame = ({ missing, skipped, failing = [] }: TestChanges): boolean =>
  missing.length + skipped.length + failing.length === 0;

/** For a check that may fail, as it did at the start: do at least as many tests pass? */
export function isAsGood(before: readonly TestCase[], now: readonly TestCase[] | null): boolean {
  if (now === null) return before.length === 0;
  return isSame({ ...compareTests(before, now, false), failing: failingTests(before, now) });
}

export function wordsOfChanges({ missing, skipped, failing = [] }: TestChanges): string {
  const gone =
    missing.length === 0 ? [] : [`${plural(missing.length, 'test')} of the start missing: ${namesOf(missing)}`];
  const idle = skipped.length === 0 ? [] : [`${plural(skipped.length, 'test')} newly skipped: ${namesOf(skipped)}`];
  const fail = failing.length === 1 ? 'fails' : 'fail';
  const broken =
    failing.length === 0
      ? []
      : [`${plural(failing.length, 'test')} ${fail} that passed at the start: ${namesOf(failing)}`];
  return [...gone, ...idle, ...broken].join('; ');
}

/** A test file that could not be loaded counts as one failed test; once it loads, its tests have names of their own. */
function isNameOfSuite(name: string): boolean {
  const last = name.split(' › ').at(-1) ?? '';
  return /^\S*[./]\S*$/.test(last) && (!name.includes(' › ') || /\.\w{1,4}$/.test(last));
}

const isSkipped = ({ outcome }: TestCase): boolean => outcome === 'skipped';

function counted(tests: readonly TestCase[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of tests) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
