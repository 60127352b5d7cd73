import { describe, expect, test } from 'vitest';
import { columnsOf } from '../../stream/columns.ts';
import { type LsRow, lsTable } from './ls-table.ts';

const ROW: LsRow = {
  mark: '●',
  loop: 'k3x9',
  kind: 'run',
  where: '.',
  state: 'working (claude)',
  iterations: '2/10',
  time: '3m',
  cost: '$0.31',
  last: 'Bash npm run build',
};
const LONG: LsRow = {
  ...ROW,
  mark: '!',
  kind: 'stories',
  where: '/srv/projects/customers/shop/packages/checkout agent2',
  state: 'limit until Wed 03:10',
  iterations: '17/100',
  cost: '$16.10+',
  last: 'Which of the two databases should the integration tests use from now on?',
};
const RESUME: LsRow = { ...ROW, mark: '✗', state: 'stopped by Ctrl-C', last: 'ralph resume k3x9' };

test('what fits is shown whole, in columns', () => {
  expect(lsTable([ROW, RESUME], 80)).toEqual([
    '  LOOP  KIND  WHERE  STATE              ITER  TIME   COST  LAST',
    '● k3x9  run   .      working (claude)   2/10    3m  $0.31  Bash npm run build',
    '✗ k3x9  run   .      stopped by Ctrl-C  2/10    3m  $0.31  ralph resume k3x9',
  ]);
});

test('at 80 columns, the last one has room for the command that continues a loop, however long the others are', () => {
  const table = lsTable([LONG, RESUME], 80);
  expect(table.at(-1)).toMatch(/ralph resume k3x9$/);
  expect(table[1]).toBe('! k3x9  …ut agent2  limit until Wed 03:10  17/100  $16.10+  Which of the two da…');
  const withLimit = { ...RESUME, last: 'ralph resume k3x9 -m 20 · fix the tests' };
  expect(lsTable([LONG, withLimit], 80).at(-1)).toMatch(/ralph resume k3x9 -m 20(?: |…)/);
});

test('a list with only local runs has room for what each is about', () => {
  const last = 'ralph resume k3x9 · fix the failing tests of the parser';
  expect(lsTable([ROW, { ...RESUME, last }], 80)).toEqual([
    '  LOOP  STATE              ITER  TIME   COST  LAST',
    '● k3x9  working (claude)   2/10    3m  $0.31  Bash npm run build',
    '✗ k3x9  stopped by Ctrl-C  2/10    3m  $0.31  ralph resume k3x9 · fix the faili…',
  ]);
  expect(lsTable([ROW, { ...RESUME, last, kind: 'task', where: '~/x' }], 80)[0]).toMatch(/KIND {2}WHERE/);
});

test('a long path gives way before anything is left out', () => {
  const [head = '', row = ''] = lsTable([{ ...ROW, where: '/srv/projects/customers/shop' }], 80);
  expect(head).toMatch(/LOOP .* TIME +COST +LAST/);
  expect(row).toContain(' …ustomers/shop ');
  expect(row).toMatch(/Bash npm run build$/);
});

test('without a terminal nothing is cut', () => {
  expect(lsTable([LONG], null)[1]).toContain(`${LONG.where}  ${LONG.state}`);
  expect(lsTable([LONG], null)[1]?.endsWith(LONG.last)).toBe(true);
});

describe.each([200, 120, 80, 60, 40, 24, 12])('at %i columns', (columns) => {
  test('no line is wider, and each begins with the mark and the name', () => {
    const wide = { ...LONG, where: '/家/プロジェクト/本番', last: '🙂'.repeat(40) };
    const table = lsTable([ROW, LONG, RESUME, wide], columns);
    expect(table.filter((line) => columnsOf(line) > columns)).toEqual([]);
    expect(table.slice(1).every((line) => /^[●!✗] k3x9/.test(line))).toBe(true);
  });
});

test('at 40 columns the state and the last column are still there', () => {
  const [head = '', , row = ''] = lsTable([ROW, RESUME], 40);
  expect(head).toMatch(/^ {2}LOOP +STATE .* LAST$/);
  expect(row).toMatch(/^✗ k3x9 {2}stopped by Ctrl-C .*ralph/);
});
