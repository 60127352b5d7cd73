/**
 * The tests of each check at the start, and the packages that the setup installed, in files of the loop's folder: there
 * can be thousands.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TestCase } from '../core/proof/test-case.ts';
import { isStrings, parsedJson } from '../core/text/json.ts';
import { readPlain, writeFile } from '../process/files.ts';

/** By check; null for one that reports no tests. */
export type BaseTests = readonly (readonly TestCase[] | null)[];

const FILE = 'base-tests.json';

/** Returns the digest that identifies the file. */
export function keepBaseTests(folder: string, tests: BaseTests): string {
  const text = JSON.stringify(tests);
  writeFile(join(folder, FILE), text, { mode: 0o600 });
  return digestOf(text);
}

/** Null if the file is missing or was changed. */
export function readBaseTests(folder: string, digest: string): BaseTests | null {
  const text = readPlain(join(folder, FILE));
  return text !== null && digestOf(text) === digest ? (parsedJson(text) as BaseTests) : null;
}

const INSTALLED = 'installed.json';

export function keepInstalled(folder: string, names: readonly string[]): void {
  writeFile(join(folder, INSTALLED), JSON.stringify(names), { mode: 0o600 });
}

/** Empty if they were not kept. */
export function readInstalled(folder: string): string[] {
  const names = parsedJson(readPlain(join(folder, INSTALLED)) ?? '');
  return isStrings(names) ? names : [];
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
