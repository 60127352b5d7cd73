/** The tests of the start, check by check, and the packages that its setup installed, in files of the loop's folder: there can be thousands. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TestCase } from '../core/proof/test-case.ts';
import { isStrings, parsedJson } from '../core/text/json.ts';
import { readPlain, writeFile } from '../process/files.ts';

/** Null for a check that reports none. */
export type BaseTests = readonly (readonly TestCase[] | null)[];

const FILE = 'base-tests.json';

/** Gives the digest by which they are known again. */
export function keepBaseTests(folder: string, tests: BaseTests): string {
  const text = JSON.stringify(tests);
  writeFile(join(folder, FILE), text, { mode: 0o600 });
  return digestOf(text);
}

/** Null where the file is gone, or is not the one that was kept. */
export function readBaseTests(folder: string, digest: string): BaseTests | null {
  const text = readPlain(join(folder, FILE));
  return text !== null && digestOf(text) === digest ? (parsedJson(text) as BaseTests) : null;
}

const INSTALLED = 'installed.json';

export function keepInstalled(folder: string, names: readonly string[]): void {
  writeFile(join(folder, INSTALLED), JSON.stringify(names), { mode: 0o600 });
}

/** None where they were not kept. */
export function readInstalled(folder: string): string[] {
  const names = parsedJson(readPlain(join(folder, INSTALLED)) ?? '');
  return isStrings(names) ? names : [];
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
