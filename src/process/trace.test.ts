import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type Plan, readLastTrace, readTrace, writeTrace } from './trace.ts';

const MARK = 'loop/1/work/1#1';
const OTHER = 'loop/1/work/1#11';
const leader = { pid: 7, startTime: '123', boot: 'b' };
let folder: string;
let file: string;

beforeEach(() => {
  folder = testFolder();
  file = join(folder, 'processes.jsonl');
});

function planOf(mark: string): Plan {
  return { v: 1, level: 'cgroup', mark, leaf: `/sys/fs/cgroup/${mark}` };
}

test('a run that never came to a plan has no trace', () => {
  expect(readTrace(folder, MARK)).toBeNull();
  writeTrace(folder, { plan: planOf(OTHER) });
  expect(readTrace(folder, MARK)).toBeNull();
});

test('the plan is there before the program, the program after its start, for the user only', () => {
  writeTrace(folder, { plan: planOf(MARK) });
  expect(readTrace(folder, MARK)).toEqual({ plan: planOf(MARK), leader: null });
  writeTrace(folder, { mark: MARK, leader });
  expect(readTrace(folder, MARK)).toEqual({ plan: planOf(MARK), leader });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('runs are told apart by their marks', () => {
  writeTrace(folder, { plan: planOf(MARK) });
  writeTrace(folder, { plan: planOf(OTHER) });
  writeTrace(folder, { mark: OTHER, leader });
  expect(readTrace(folder, MARK)).toEqual({ plan: planOf(MARK), leader: null });
  expect(readTrace(folder, OTHER)).toEqual({ plan: planOf(OTHER), leader });
});

test('a line cut off at any byte by a death is not written, and does not spoil what the next supervisor writes', () => {
  writeTrace(folder, { plan: planOf(OTHER) });
  const before = readFileSync(file);
  writeTrace(folder, { plan: planOf(MARK) });
  writeTrace(folder, { mark: MARK, leader });
  const whole = readFileSync(file);
  const planEnd = whole.indexOf('}', whole.indexOf(MARK, before.length)) + 2;
  // A line that lacks only its newline counts as written.
  const leaderEnd = whole.length - 1;
  for (let cut = before.length; cut <= whole.length; cut++) {
    writeFileSync(file, whole.subarray(0, cut));
    const expected = cut < planEnd ? null : { plan: planOf(MARK), leader: cut < leaderEnd ? null : leader };
    expect(readTrace(folder, MARK), `cut at ${cut}`).toEqual(expected);
    writeTrace(folder, { mark: OTHER, leader });
    expect(readTrace(folder, OTHER), `cut at ${cut}`).toEqual({ plan: planOf(OTHER), leader });
    expect(readTrace(folder, MARK), `cut at ${cut}`).toEqual(expected);
  }
});

test('what was started last is found, with its program, behind lines that are damaged', () => {
  expect(readLastTrace(folder)).toBeNull();
  writeTrace(folder, { plan: planOf(OTHER) });
  writeTrace(folder, { mark: OTHER, leader });
  expect(readLastTrace(folder)).toEqual({ plan: planOf(OTHER), leader });
  writeTrace(folder, { plan: planOf(MARK) });
  expect(readLastTrace(folder)).toEqual({ plan: planOf(MARK), leader: null });
  writeTrace(folder, { mark: MARK, leader: { ...leader, pid: 8 } });
  writeTrace(folder, { mark: MARK, leader });
  appendFileSync(file, '{"plan":{"mark":7}}\n\0\0\0\nnull\n{"mark":"x"}\n{"plan":{"v":1,"mark":"cut');
  expect(readLastTrace(folder)).toEqual({ plan: planOf(MARK), leader });
});

test('every run of a long file is found, wherever its lines stand and however long they are', () => {
  const marks = Array.from({ length: 1500 }, (_, index) => `löop/${index}${'ä'.repeat(index % 400)}`);
  const lines = marks.map((mark) => JSON.stringify({ plan: { ...planOf(mark), rung: 'cgroup', level: undefined } }));
  const longest = `mark${'ö'.repeat(300_000)}`;
  writeFileSync(file, `${lines.join('\n\n')}\n`);
  writeTrace(folder, { plan: planOf(longest) });
  writeTrace(folder, { mark: longest, leader });
  writeTrace(folder, { mark: marks[3] ?? '', leader });
  for (let index = 3; index < marks.length; index += 20) {
    const mark = marks[index] ?? '';
    expect(readTrace(folder, mark)).toEqual({ plan: planOf(mark), leader: index === 3 ? leader : null });
  }
  expect(readLastTrace(folder)).toEqual({ plan: planOf(longest), leader });
  expect(readTrace(folder, MARK)).toBeNull();
});

test('what was started last is found by the end of the file alone, however many runs there were before', () => {
  writeFileSync(file, '');
  // Larger than what can be read at once.
  truncateSync(file, 8 * 1024 ** 3);
  writeTrace(folder, { plan: planOf(MARK) });
  writeTrace(folder, { mark: MARK, leader });
  expect(readLastTrace(folder)).toEqual({ plan: planOf(MARK), leader });
  expect(readTrace(folder, MARK)).toEqual({ plan: planOf(MARK), leader });
});

test('the file calls the level as it always has: another release may clean up what this one started', () => {
  writeTrace(folder, { plan: planOf(MARK) });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    plan: { v: 1, rung: 'cgroup', mark: MARK, leaf: `/sys/fs/cgroup/${MARK}` },
  });
});
