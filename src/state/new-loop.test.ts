import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { firstRecord, record } from '../../test/support/loops/play.ts';
import { WAITED } from '../../test/support/loops/results.ts';
import type { Recorded } from '../core/record.ts';
import type { Json } from '../core/text/json.ts';
import { maskFor } from '../core/text/mask.ts';
import { createJournal, readJournal } from './journal.ts';
import { keepRequest, withRequest } from './new-loop.ts';
import { journalPath } from './paths.ts';

const KEY = `sk-${'k'.repeat(40)}`;
const SECRET = { prompt: `Deploy with ${KEY}.`, maximumIterations: 3 };
const mask = maskFor({});
let loop: string;

beforeEach(() => {
  loop = testFolder();
});

/** Begins a loop as the engine does, and returns the content of its journal. */
function begin(options: Json): Recorded[] {
  const first = firstRecord('run', options);
  if (first.result.kind !== 'created') throw new Error('it is the first');
  keepRequest(loop, first.result, mask);
  const journal = createJournal(journalPath(loop), first, mask);
  journal.append(record(1, 'next', WAITED));
  journal.close();
  return readJournal(journalPath(loop)).records;
}

test('a request that holds a key is whole again for who turns the machine, and the journal does not have it', () => {
  const records = begin(SECRET);
  expect(readFileSync(journalPath(loop), 'utf8')).not.toContain(KEY);
  expect(withRequest(records, loop)).toEqual([
    { ...firstRecord('run', SECRET), masked: true },
    record(1, 'next', WAITED),
  ]);
});

test('it is kept for its owner alone', () => {
  begin(SECRET);
  expect(readFileSync(join(loop, 'request.json'), 'utf8')).toBe(JSON.stringify(SECRET));
  expect(statSync(join(loop, 'request.json')).mode & 0o777).toBe(0o600);
});

test('a request without a key is in the journal only', () => {
  const records = begin({ prompt: 'Do it.' });
  expect(readdirSync(loop)).toEqual(['journal.jsonl']);
  expect(withRequest(records, loop)).toEqual(records);
});

test('a record that was not masked is the truth, whatever lies beside it', () => {
  begin(SECRET);
  const records = [firstRecord('run', { prompt: 'Do it.' })];
  expect(existsSync(join(loop, 'request.json'))).toBe(true);
  expect(withRequest(records, loop)).toEqual(records);
});

test('a masked record other than the first creation is left as it is', () => {
  begin(SECRET);
  const records: Recorded[] = [{ ...record(0, 'next', WAITED), masked: true }];
  expect(withRequest(records, loop)).toEqual(records);
});

test('without the kept request the records are as the journal has them', () => {
  const records = begin(SECRET);
  rmSync(join(loop, 'request.json'));
  expect(withRequest(records, loop)).toEqual(records);
  expect(withRequest([], loop)).toEqual([]);
});
