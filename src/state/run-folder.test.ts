import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { claimAttempt, claimRun, runFolderName } from './run-folder.ts';

let loop: string;

beforeEach(() => {
  loop = testFolder();
});

describe('claiming a run', () => {
  test('is new exactly once; whoever comes later finds the same folder', () => {
    const first = claimRun(loop, '1/work/1');
    expect(first).toEqual({ folder: join(loop, 'runs/1-work-1'), isNew: true });
    expect(claimRun(loop, '1/work/1')).toEqual({ ...first, isNew: false });
    expect(claimRun(loop, '1/work/2')).toMatchObject({ isNew: true });
  });

  test('makes a folder that nobody else may enter, also where the loop has no folder yet', () => {
    const { folder } = claimRun(join(loop, 'not', 'there'), '1/work/1');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, '..')).mode & 0o777).toBe(0o700);
  });

  test('is named in the journal relative to the loop', () => {
    const { folder } = claimRun(loop, '12/message/3');
    expect(join(loop, runFolderName('12/message/3'))).toBe(folder);
  });
});

describe('claiming an attempt', () => {
  test('goes on counting behind those that were cut off, and names them, oldest first', () => {
    const first = claimAttempt(loop, '1/check/0');
    expect(first).toEqual({ folder: join(loop, 'runs/1-check-0'), attempt: 1, cutOff: [] });
    const second = claimAttempt(loop, '1/check/0');
    expect(second).toEqual({ folder: join(loop, 'runs/1-check-0.2'), attempt: 2, cutOff: [first.folder] });
    expect(claimAttempt(loop, '1/check/0')).toMatchObject({ attempt: 3, cutOff: [first.folder, second.folder] });
  });

  test('keeps the attempts of different keys apart', () => {
    claimAttempt(loop, '1/check/1');
    expect(claimAttempt(loop, '1/check/2')).toMatchObject({ attempt: 1, cutOff: [] });
    expect(existsSync(join(loop, 'runs/1-check-1.2'))).toBe(false);
  });
});
