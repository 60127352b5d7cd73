import { join } from 'node:path';
import { expect, test } from 'vitest';
import { timelineIn } from '../../../test/support/loops/timeline.ts';
import { readJournal } from '../../state/journal.ts';
import { columnsOf } from '../../stream/columns.ts';
import { painter } from '../../views/paint.ts';
import type { Iteration } from '../../views/timeline/iteration.ts';
import { iterationTable } from './iteration-table.ts';

const JOURNALS = join(import.meta.dirname, '../../../test/fixtures/journals');
const timeline = timelineIn(readJournal(join(JOURNALS, 'v4/run-rejected.jsonl')).records);
const [first, second] = timeline.iterations as [Iteration, Iteration];
const table = (...iterations: Iteration[]): string[] => iterationTable({ iterations, earlier: 0 }, painter(false));

test('a row for each iteration: outcome, checks, time, cost, commit', () => {
  const minutes = { workedMs: 100_000, waitedMs: 0 };
  expect(table({ ...first, ...minutes }, { ...second, ...minutes })).toEqual([
    '  #  outcome        checks               time   cost  commit',
    '  1  DONE rejected  ./check.sh ✗  1 ✓  1m 40s  $0.21  –',
    '  2  done           2 ✓                1m 40s  $0.42  da88f1c',
  ]);
});

test('waiting time does not count as time of the iteration', () => {
  expect(table({ ...first, workedMs: 65_000, waitedMs: 60_000 })[1]).toContain(' 5s ');
});

test('a column without any value is left out, and an unknown value in a row is not a zero', () => {
  const bare = { ...first, checks: [], costUsd: null, workedMs: 1000, waitedMs: 0 };
  expect(table(bare)).toEqual(['  #  outcome        time', '  1  DONE rejected    1s']);
  const partly = { ...second, checks: [], costUsd: 0.5, runsWithoutCost: 1, workedMs: 1000, waitedMs: 0 };
  expect(table(bare, partly).slice(1)).toEqual([
    '  1  DONE rejected    1s       –  –',
    '  2  done             1s  $0.50+  da88f1c',
  ]);
});

test('earlier iterations are counted', () => {
  const last = Array.from({ length: 10 }, (_, index) => ({ ...first, number: index + 4 }));
  const lines = iterationTable({ iterations: last, earlier: 3 }, painter(false));
  expect(lines).toHaveLength(12);
  expect(lines[1]).toBe('  (3 earlier iterations not shown)');
  expect(lines[2]).toMatch(/^ {3}4 {2}DONE/);
  expect(table()).toEqual([]);
});

test('nothing is wider than 80 columns, whatever the names of checks and outcomes', () => {
  const check = {
    label: '検査'.repeat(30),
    passed: false,
    how: 'exit 1',
    exitCode: 1,
    durationMs: 1,
    log: '',
    digest: null,
  };
  const checks = Array.from({ length: 9 }, () => check);
  const outcome = { words: `${'日本'.repeat(30)} rejected`, mark: 'failed' } as const;
  const lines = table({ ...first, outcome, checks, number: 100_000, workedMs: 900_000_000, costUsd: 12_345 }, second);
  expect(lines.map(columnsOf).filter((columns) => columns > 80)).toEqual([]);
  expect(lines[1]).toContain(' 9 ✗ ');
});

test('every column begins where its title does', () => {
  const [head = '', one = '', two = ''] = table(first, second);
  for (const title of ['outcome', 'checks', 'commit']) {
    expect([one, two].map((line) => line[head.indexOf(title) - 1])).toEqual([' ', ' ']);
  }
});

test.each([
  [60, /^ {2}# {2}outcome +checks +time +cost +commit$/],
  [42, /^ {2}# {2}outcome +checks +time +cost$/],
  [32, /^ {2}# {2}outcome +time +cost$/],
  [24, /^ {2}# {2}outcome +time$/],
])('a terminal of %i columns gets what fits', (width, head) => {
  const narrow = iterationTable({ iterations: timeline.iterations, earlier: 0 }, painter(false), width);
  expect(narrow[0]).toMatch(head);
  expect(narrow.filter((line) => columnsOf(line) > width)).toEqual([]);
});
