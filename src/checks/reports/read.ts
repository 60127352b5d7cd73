/** Reads a test report in any of the formats that runners write, which it recognises from the text. */

import type { TestCase } from '../../core/proof/test-case.ts';
import { readGo } from './go.ts';
import { readJsonReport } from './json.ts';
import { readJunit } from './junit.ts';
import { readLibtest } from './libtest.ts';
import { readTap } from './tap.ts';

/** Null if it is not a report, or was cut off. */
export function readReport(text: string): TestCase[] | null {
  const begin = text.trimStart().slice(0, 1);
  if (begin === '<') return readJunit(text);
  return (begin === '{' ? readJsonReport(text) : null) ?? readGo(text) ?? readLibtest(text) ?? readTap(text);
}
