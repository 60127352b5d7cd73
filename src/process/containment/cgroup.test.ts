import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  bornInside,
  type CgroupHome,
  findCgroupHome,
  killLeaf,
  leafPath,
  membersOf,
  removeLeafIfEmpty,
} from './cgroup.ts';

const home = findCgroupHome();

test('looking for the home leaves nothing behind, and this process where it was', () => {
  const before = readFileSync('/proc/self/cgroup', 'utf8');
  expect(findCgroupHome()?.path).toBe(home?.path);
  expect(readFileSync('/proc/self/cgroup', 'utf8')).toBe(before);
  const leaves = home === null ? [] : readdirSync(home.path);
  expect(leaves).not.toContain(`ralph-probe-${process.pid}`);
});

describe.runIf(home !== null)('a leaf', () => {
  const found: CgroupHome = home ?? { path: '', procs: -1 };

  function newLeaf(): string {
    const leaf = leafPath(found, `test-${process.pid}-${performance.now()}`);
    mkdirSync(leaf);
    onTestFinished(async () => {
      killLeaf(leaf);
      await expect.poll(() => removeLeafIfEmpty(leaf), { interval: 5 }).toBe(true);
    });
    return leaf;
  }

  function startIn(leaf: string, lines: string): ChildProcess {
    return bornInside(found, leaf, () => spawn('sh', ['-c', lines], { stdio: ['ignore', 'pipe', 'ignore'] }));
  }

  test('holds the child that is born in it and everything that this starts, and not us', async () => {
    const leaf = newLeaf();
    const child = startIn(leaf, 'env -i setsid sh -c "echo ready; sleep 60; :" & sleep 60; :');
    await once(child.stdout ?? child, 'data');
    expect(membersOf(leaf)).toContain(child.pid);
    expect(membersOf(leaf).length).toBeGreaterThanOrEqual(3);
    expect(membersOf(leaf)).not.toContain(process.pid);
  });

  test('is left again also when nothing could be started', () => {
    const leaf = newLeaf();
    const fail = (): never => {
      throw new Error('no');
    };
    expect(() => bornInside(found, leaf, fail)).toThrow('no');
    expect(membersOf(leaf)).toEqual([]);
  });

  test('is not removed while something lives in it, and is once that is gone', async () => {
    const leaf = newLeaf();
    const child = startIn(leaf, 'sleep 60; :');
    expect(removeLeafIfEmpty(leaf)).toBe(false);
    killLeaf(leaf);
    await once(child, 'exit');
    await expect.poll(() => removeLeafIfEmpty(leaf), { interval: 5 }).toBe(true);
    expect(existsSync(leaf)).toBe(false);
  });

  test('is removed with the empty leaves that a loop inside left in it, but not with a living one', async () => {
    const leaf = newLeaf();
    mkdirSync(join(leaf, 'inner'));
    mkdirSync(join(leaf, 'inner', 'most'));
    const child = startIn(join(leaf, 'inner', 'most'), 'sleep 60; :');
    expect(removeLeafIfEmpty(leaf)).toBe(false);
    killLeaf(leaf);
    await once(child, 'exit');
    await expect.poll(() => removeLeafIfEmpty(leaf), { interval: 5 }).toBe(true);
  });

  test('with this process in it is never killed', () => {
    const leaf = newLeaf();
    bornInside(found, leaf, () => {
      expect(() => killLeaf(leaf)).toThrow('this process is in it');
    });
  });

  test('that is gone has no members, can be killed, and counts as removed', () => {
    const leaf = newLeaf();
    rmdirSync(leaf);
    expect(membersOf(leaf)).toEqual([]);
    killLeaf(leaf);
    expect(removeLeafIfEmpty(leaf)).toBe(true);
  });
});
