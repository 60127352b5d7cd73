/** Reads the output of `go test -json`: one event per line, perhaps with other lines in between. */
import { joinNames, type TestCase } from '../../core/proof/test-case.ts';

const OUTCOMES: Readonly<Record<string, TestCase['outcome']>> = { pass: 'passed', fail: 'failed', skip: 'skipped' };

/** Up to Go 1.23, there is only this line for a package that does not build, and no event. */
const UNBUILT = /^FAIL\s+(\S+) \[(?:build|setup) failed\]/;

/** The output of a package without tests. */
const NO_TESTS = /\[no tests? (?:files|to run)\]/;

/** Null if it contains no event. */
export function readGo(text: string): TestCase[] | null {
  const cases: TestCase[] = [];
  const brokenPackages = new Map<string, boolean>();
  const testedPackages = new Set<string>();
  const endedEarly: TestCase[] = [];
  let isGo = false;
  for (const line of text.split('\n')) {
    const unbuilt = UNBUILT.exec(line)?.[1];
    if (unbuilt !== undefined) brokenPackages.set(unbuilt, true);
    const event = eventIn(line);
    if (event === null) continue;
    isGo = true;
    if (event.test !== '' || event.isWithoutTests) testedPackages.add(event.package);
    const outcome = OUTCOMES[event.action];
    if (outcome === undefined) continue;
    if (event.test !== '') {
      cases.push({ name: joinNames(event.package, event.test), outcome });
      if (outcome === 'failed') brokenPackages.set(event.package, false);
    } else if (outcome === 'failed' && !brokenPackages.has(event.package)) {
      // It did not build, or panicked outside of a test.
      brokenPackages.set(event.package, true);
    } else if (outcome === 'passed' && !testedPackages.has(event.package)) {
      // The package ended before any test ran.
      endedEarly.push({ name: event.package, outcome: 'skipped' });
    }
  }
  const broken = [...brokenPackages].flatMap(([name, isWhole]) =>
    isWhole ? [{ name, outcome: 'failed' } as const] : [],
  );
  return isGo ? [...cases, ...broken, ...(cases.length === 0 ? [] : endedEarly)] : null;
}

interface GoEvent {
  readonly action: string;
  readonly package: string;
  readonly test: string;
  readonly isWithoutTests: boolean;
}

function eventIn(line: string): GoEvent | null {
  if (!line.startsWith('{"')) return null;
  try {
    const {
      Action: action,
      Package: name,
      Test: test,
      Output: output,
    } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (typeof action !== 'string' || typeof name !== 'string') return null;
    const isWithoutTests = typeof output === 'string' && NO_TESTS.test(output);
    return { action, package: name, test: typeof test === 'string' ? test : '', isWithoutTests };
  } catch {
    // Output of the tests themselves.
    return null;
  }
}
