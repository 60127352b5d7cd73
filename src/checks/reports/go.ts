/** Reads what `go test -json` prints, one event a line, also where other lines stand between them. */
import { joinNames, type TestCase } from '../../core/proof/test-case.ts';

const OUTCOMES: Readonly<Record<string, TestCase['outcome']>> = { pass: 'passed', fail: 'failed', skip: 'skipped' };

/** Up to Go 1.23 a package that does not build is no event. */
const UNBUILT = /^FAIL\s+(\S+) \[(?:build|setup) failed\]/;

/** Null where no line of it is there. */
export function readGo(text: string): TestCase[] | null {
  const cases: TestCase[] = [];
  const brokenPackages = new Map<string, boolean>();
  let isGo = false;
  for (const line of text.split('\n')) {
    const unbuilt = UNBUILT.exec(line)?.[1];
    if (unbuilt !== undefined) brokenPackages.set(unbuilt, true);
    const event = eventIn(line);
    if (event === null) continue;
    isGo = true;
    const outcome = OUTCOMES[event.action];
    if (outcome === undefined) continue;
    if (event.test !== '') {
      cases.push({ name: joinNames(event.package, event.test), outcome });
      if (outcome === 'failed') brokenPackages.set(event.package, false);
    } else if (outcome === 'failed' && !brokenPackages.has(event.package)) {
      // It did not build, or panicked outside of a test.
      brokenPackages.set(event.package, true);
    }
  }
  const broken = [...brokenPackages].flatMap(([name, isWhole]) =>
    isWhole ? [{ name, outcome: 'failed' } as const] : [],
  );
  return isGo ? [...cases, ...broken] : null;
}

/** What it would have printed without `-json`. */
export function plainGoOutput(text: string): string {
  const shown = text.split('\n').map((line) => {
    const { Output: output } = eventIn(line) === null ? {} : (JSON.parse(line) as { readonly Output?: unknown });
    return eventIn(line) === null ? `${line}\n` : typeof output === 'string' ? output : '';
  });
  return shown.join('').trimEnd();
}

function eventIn(line: string): { readonly action: string; readonly package: string; readonly test: string } | null {
  if (!line.startsWith('{"')) return null;
  try {
    const { Action: action, Package: name, Test: test } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (typeof action !== 'string' || typeof name !== 'string') return null;
    return { action, package: name, test: typeof test === 'string' ? test : '' };
  } catch {
    // A line of the tests' own.
    return null;
  }
}
