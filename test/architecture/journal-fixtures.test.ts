/** Journals in the current format are kept as fixtures now, because later releases must still be able to read them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RECORD_VERSION, type Recorded } from '../../src/core/record.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/journals', `v${RECORD_VERSION}`);

test(`the current format, v${RECORD_VERSION}, has fixtures (npm run journals creates them)`, () => {
  // older-journals.test.ts reads every set that has an expected.json, and checks that it has each loop kind.
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
