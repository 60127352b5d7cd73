import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { endOf, nodeProgram, startProgram } from '../../../test/support/programs/node-program.ts';
import {
  bornInside,
  type CgroupHome,
  findCgroupHome,
  killLeaf,
  leafPath,
  makeLeaf,
  membersBelow,
  membersOf,
  moveToOwnCgroup,
  removeLeafIfEmpty,
} from './cgroup.ts';

const home = findCgroupHome();
const own = moveToOwnCgroup();

test('looking for the home leaves nothing behind, and this process where it was', () => {
  const before = readFileSync('/proc/self/cgroup', 'utf8');
  expect(findCgroupHome()?.path).toBe(home?.path);
  expect(readFileSync('/proc/self/cgroup', 'utf8')).toBe(before);
  const leaves = home === null ? [] : readdirSync(home.path);
  expect(leaves).not.toContain(`ralph-probe-${process.pid}`);
});

describe.runIf(own !== null)('a supervisor of its own cgroup', () => {
  const path = own?.path ?? '';

  test('lives in it, once, however often it asks', () => {
    expect(dirname(path)).toBe(home?.path);
    expect(moveToOwnCgroup()?.path).toBe(path);
    expect(isAtHome()).toBe(true);
  });

  test('goes back to it after a visit of the whole process somewhere else', () => {
    expect(bornInside(home ?? { path, threads: null }, dirname(path), isAtHome)).toBe(false);
    expect(isAtHome()).toBe(true);
  });

  test('can start programs in a leaf also when another program has moved it', async () => {
    const leaf = join(path, 'test-moved');
    makeLeaf(leaf, own ?? undefined);
    writeFileSync(join(dirname(path), 'cgroup.procs'), String(process.pid));
    const child = bornInside(own ?? { path, threads: null }, leaf, () => spawn('sleep', ['60']));
    expect(membersOf(leaf)).toEqual([child.pid]);
    expect(isAtHome()).toBe(true);
    killLeaf(leaf);
    await expect.poll(() => removeLeafIfEmpty(leaf), { interval: 5 }).toBe(true);
  });

  test('takes it along when it exits, and removes that of another one that was killed', async () => {
    const lines = `import { moveToOwnCgroup } from './src/process/containment/cgroup.ts';
      process.stdout.write(moveToOwnCgroup().path, () => process.argv[2] && process.kill(process.pid, 'SIGKILL'));`;
    const program = await nodeProgram(lines);
    const killed = await endOf(startProgram(program, ['kill']));
    expect([killed.exitCode, existsSync(killed.output)]).toEqual([null, true]);
    const ended = await endOf(startProgram(program));
    expect(ended.output).toContain('/ralph-supervisor-');
    expect([killed, ended].map(({ output }) => existsSync(output))).toEqual([false, false]);
  });

  test('leaves that of a living one alone, also while it is empty', async () => {
    const living = spawn('sleep', ['60']);
    const other = join(path, `ralph-supervisor-${living.pid}`);
    mkdirSync(other);
    const program = await nodeProgram(
      `import { moveToOwnCgroup } from './src/process/containment/cgroup.ts'; moveToOwnCgroup();`,
    );
    await endOf(startProgram(program));
    expect(existsSync(other)).toBe(true);
    living.kill('SIGKILL');
    await once(living, 'exit');
    await endOf(startProgram(program));
    expect(existsSync(other)).toBe(false);
  });

  test('that died takes it along with its last leaf', async () => {
    const lines = `import { makeLeaf, moveToOwnCgroup } from './src/process/containment/cgroup.ts';
      const home = moveToOwnCgroup();
      makeLeaf(home.path + '/leaf', home);
      process.stdout.write(home.path, () => process.kill(process.pid, 'SIGKILL'));`;
    const { output } = await endOf(startProgram(await nodeProgram(lines)));
    expect(existsSync(join(output, 'leaf'))).toBe(true);
    expect(removeLeafIfEmpty(join(output, 'leaf'))).toBe(true);
    expect(existsSync(output)).toBe(false);
  });

  test('ends also what forks and exits without a pause, of which no list is ever true', async () => {
    const leaf = join(path, 'test-forking');
    makeLeaf(leaf, own ?? undefined);
    const lines = '$| = 1; print "begun\\n"; while (1) { exit if fork }';
    const child = bornInside(own ?? { path, threads: null }, leaf, () => spawn('perl', ['-e', lines]));
    await once(child.stdout, 'data');
    killLeaf(leaf);
    await expect.poll(() => readFileSync(join(leaf, 'cgroup.events'), 'utf8'), { interval: 5 }).toContain('frozen 1');
    // A process that was being forked at that moment was missed, but it is frozen and has not run.
    killLeaf(leaf);
    await expect.poll(() => removeLeafIfEmpty(leaf), { interval: 5 }).toBe(true);
  });

  test('can be one inside the leaf of another', async () => {
    const leaf = join(path, 'test-inner');
    makeLeaf(leaf, own ?? undefined);
    const program = await nodeProgram(`import { spawn } from 'node:child_process';
      import { bornInside, makeLeaf, membersOf, moveToOwnCgroup } from './src/process/containment/cgroup.ts';
      const home = moveToOwnCgroup();
      const leaf = home.path + '/leaf';
      makeLeaf(leaf, home);
      const child = bornInside(home, leaf, () => spawn('sleep', ['60']));
      process.stdout.write(JSON.stringify([home.path, membersOf(leaf).length === 1 && child.pid === membersOf(leaf)[0]]));`);
    const child = bornInside(own ?? { path, threads: null }, leaf, () => startProgram(program));
    const [told] = await once(child.stdout ?? child, 'data');
    expect(JSON.parse(String(told))).toEqual([join(leaf, `ralph-supervisor-${child.pid}`), true]);
    expect(membersBelow(leaf)).toHaveLength(2);
    killLeaf(leaf);
    await expect.poll(() => removeLeafIfEmpty(leaf), { interval: 5 }).toBe(true);
  });
});

function isAtHome(): boolean {
  return readFileSync('/proc/self/cgroup', 'utf8').includes(`/ralph-supervisor-${process.pid}\n`);
}

describe.each([
  ['process', home],
  ['thread', own],
] as const)('a leaf that the whole %s visits', (_kind, given) => {
  const found: CgroupHome = given ?? { path: '', threads: null };
  if (given === null) return;

  function newLeaf(): string {
    const leaf = leafPath(found, `test-${process.pid}-${performance.now()}`);
    makeLeaf(leaf, found);
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
    makeLeaf(join(leaf, 'inner'), found);
    makeLeaf(join(leaf, 'inner', 'most'), found);
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
