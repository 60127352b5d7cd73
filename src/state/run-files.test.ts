import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { claimAttempt, claimRun, outputFile, runsFolder } from './run-files.ts';

let loop: string;

beforeEach(() => {
  loop = testFolder();
});

describe('claiming a run', () => {
  test('is new exactly once; a later call finds the same files', () => {
    const first = claimRun(loop, '1/work/1');
    expect(first).toEqual({ folder: runsFolder(loop), name: '1-work-1', isNew: true });
    expect(claimRun(loop, '1/work/1')).toEqual({ ...first, isNew: false });
    expect(claimRun(loop, '1/work/2')).toMatchObject({ isNew: true });
    expect(readdirSync(runsFolder(loop)).sort()).toEqual(['1-work-1.out', '1-work-2.out']);
  });

  test('makes files that only the user may read, also where the loop has no folder yet', () => {
    const { folder, name } = claimRun(join(loop, 'not', 'there'), '1/work/1');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, outputFile(name))).mode & 0o777).toBe(0o600);
  });
});

describe('claiming an attempt', () => {
  test('goes on counting behind those that were cut off, and names them, oldest first', () => {
    const folder = runsFolder(loop);
    expect(claimAttempt(loop, '1/check/0')).toEqual({ folder, name: '1-check-0', attempt: 1, cutOff: [] });
    const first = { name: '1-check-0', attempt: 1 };
    expect(claimAttempt(loop, '1/check/0')).toEqual({ folder, name: '1-check-0.2', attempt: 2, cutOff: [first] });
    const second = { name: '1-check-0.2', attempt: 2 };
    expect(claimAttempt(loop, '1/check/0')).toMatchObject({ attempt: 3, cutOff: [first, second] });
  });

  test('keeps the attempts of different keys apart', () => {
    claimAttempt(loop, '1/check/1');
    expect(claimAttempt(loop, '1/check/2')).toMatchObject({ attempt: 1, cutOff: [] });
    expect(claimAttempt(loop, '11/check/1')).toMatchObject({ attempt: 1, cutOff: [] });
  });
});
