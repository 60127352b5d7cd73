import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type Plan, readTrace, writeLeader, writePlan } from './trace.ts';

const plan: Plan = { v: 1, rung: 'cgroup', mark: 'loop/1/work/1#1', leaf: '/sys/fs/cgroup/x' };
const leader = { pid: 7, startTime: '123', boot: 'b' };
let folder: string;

beforeEach(() => {
  folder = testFolder();
});

test('a run that never came to a plan has no trace', () => {
  expect(readTrace(folder)).toBeNull();
});

test('the plan is there before the program, the program after its start', () => {
  writePlan(folder, plan);
  expect(readTrace(folder)).toEqual({ plan, leader: null });
  writeLeader(folder, leader);
  expect(readTrace(folder)).toEqual({ plan, leader });
});

test('a plan is made once', () => {
  writePlan(folder, plan);
  expect(() => writePlan(folder, plan)).toThrow('EEXIST');
});

test('a trace cut off at any byte by a death reads as what was whole', () => {
  writePlan(folder, plan);
  writeLeader(folder, leader);
  const file = join(folder, 'process.jsonl');
  const whole = readFileSync(file);
  const planEnd = whole.indexOf('\n') + 1;
  for (let cut = 0; cut < whole.length; cut++) {
    writeFileSync(file, whole.subarray(0, cut));
    expect(readTrace(folder), `cut at ${cut}`).toEqual(cut < planEnd ? null : { plan, leader: null });
  }
  appendFileSync(file, whole.subarray(whole.length - 1));
  expect(readTrace(folder)).toEqual({ plan, leader });
});
