import { describe, expect, test } from 'vitest';
import { durabilityOf } from './durability.ts';

/** A disk that is told when each of its syncs is through. */
function slowDisk() {
  const syncs: { done(): void; fail(error: Error): void }[] = [];
  return {
    syncs,
    sync: () => new Promise<void>((resolve, reject) => void syncs.push({ done: resolve, fail: reject })),
  };
}

/** Has everything that could happen now happened? */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function stateOf(promise: Promise<void>): { now(): string } {
  let state = 'waiting';
  const watch = async (): Promise<void> => {
    try {
      await promise;
      state = 'settled';
    } catch (error) {
      state = (error as Error).message;
    }
  };
  void watch();
  return { now: () => state };
}

describe('beginning', () => {
  test('waits for nothing; the sync starts when what is being done is done', async () => {
    const disk = slowDisk();
    durabilityOf(disk).begin();
    expect(disk.syncs).toHaveLength(0);
    await settle();
    expect(disk.syncs).toHaveLength(1);
  });

  test('gives a slow disk one sync at a time, and the next when it is through', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    durability.begin();
    await settle();
    durability.begin();
    await settle();
    expect(disk.syncs).toHaveLength(1);
    disk.syncs[0]?.done();
    await settle();
    durability.begin();
    await settle();
    expect(disk.syncs).toHaveLength(2);
  });

  test('is not stopped by a disk that fails', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    await settle();
    disk.syncs[0]?.fail(new Error('EIO'));
    await settle();
    durability.begin();
    await settle();
    expect(disk.syncs).toHaveLength(2);
  });
});

describe('settling', () => {
  test('waits for a sync of its own: one that is under way began before the last record', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    await settle();
    const settled = stateOf(durability.settled());
    disk.syncs[0]?.done();
    await settle();
    expect(disk.syncs).toHaveLength(2);
    expect(settled.now()).toBe('waiting');
    disk.syncs[1]?.done();
    await settle();
    expect(settled.now()).toBe('settled');
  });

  test('takes the place of a sync that has not started yet', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    const settled = stateOf(durability.settled());
    await settle();
    disk.syncs[0]?.done();
    await settle();
    expect(disk.syncs).toHaveLength(1);
    expect(settled.now()).toBe('settled');
  });

  test('waits also where nothing was begun', async () => {
    const disk = slowDisk();
    const settled = stateOf(durabilityOf(disk).settled());
    await settle();
    expect(settled.now()).toBe('waiting');
    disk.syncs[0]?.done();
    await settle();
    expect(settled.now()).toBe('settled');
  });

  test('waits for the sync that is under way, too: it may be the one that fails', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    await settle();
    const settled = stateOf(durability.settled());
    await settle();
    disk.syncs[1]?.done();
    await settle();
    expect(settled.now()).toBe('waiting');
    disk.syncs[0]?.fail(new Error('EIO'));
    await settle();
    disk.syncs[1]?.done();
    await settle();
    expect(settled.now()).toBe('EIO');
  });

  test('fails for ever when any sync has failed: the system tells of it once', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    await settle();
    disk.syncs[0]?.fail(new Error('EIO'));
    await settle();
    const settled = stateOf(durability.settled());
    await settle();
    disk.syncs[1]?.done();
    await settle();
    expect(settled.now()).toBe('EIO');
  });

  test('fails when its sync fails: nothing leaves the house then', async () => {
    const disk = slowDisk();
    const settled = stateOf(durabilityOf(disk).settled());
    await settle();
    disk.syncs[0]?.fail(new Error('EIO'));
    await settle();
    expect(settled.now()).toBe('EIO');
  });
});
