/** Journals in the format that this release writes are kept now: the releases after a change of the format need them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RECORD_VERSION, type Recorded } from '../../src/core/record.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/journals', `v${RECORD_VERSION}`);

test(`the format that is written, v${RECORD_VERSION}, has its journals (npm run journals makes them)`, () => {
  // older-journals.test.ts reads every set that has an expected.json, and looks for each loop kind in it.
  expect(existsSync(join(FOLDER, 'expected.json'))).toBe(true);
  const journals = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));
  const versions = journals.flatMap((name) =>
    readFileSync(join(FOLDER, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Recorded).v),
  );
  expect([...new Set(versions)]).toEqual([RECORD_VERSION]);
});
