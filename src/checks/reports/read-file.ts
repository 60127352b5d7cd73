/** Reads the file with a runner's test report. An agent may have put anything there. */
import { existsSync } from 'node:fs';
import type { TestCase } from '../../core/proof/test-case.ts';
import { readPlainBytes } from '../../process/files.ts';
import { readReport } from './read.ts';

/** Enough for some 500,000 tests; Node cannot hold a string of twice this size. */
export const LARGEST_REPORT = 256 * 1024 * 1024;

/** `unread`: what is wrong with the report, such as `is larger than 256 MB`; absent for none, and without a report. */
export interface Reported {
  readonly tests: readonly TestCase[] | null;
  readonly unread?: string;
}

export function readReportFile(path: string): Reported {
  const bytes = readPlainBytes(path, LARGEST_REPORT);
  if (bytes !== null) {
    const tests = readReport(bytes.toString('utf8'));
    return tests === null ? { tests, unread: 'breaks off, or has a format that ralph does not know' } : { tests };
  }
  if (!existsSync(path)) return { tests: null };
  return { tests: null, unread: `is larger than ${LARGEST_REPORT / 1024 / 1024} MB, or not a plain file` };
}
