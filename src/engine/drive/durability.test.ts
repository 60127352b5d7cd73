import { describe, expect, test } from 'vitest';
import { durabilityOf } from './durability.ts';

/** A disk whose syncs end when the test says so. */
function slowDisk() {
  const syncs: { done(): void; fail(error: Error): void }[] = [];
  return {
    syncs,
    sync: () => new Promise<void>((resolve, reject) => void syncs.push({ done: resolve, fail: reject })),
  };
}

/** Waits until everything that can happen now has happened. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function stateOf(promise: Promise<void>): { now(): string } {
  let state = 'waiting';
  const watch = async (): Promise<void> => {
    try {
      await promise;
      state = 'synced';
    } catch (error) {
      state = (error as Error).message;
    }
  };
  void watch();
  return { now: () => state };
}

describe('begin()', () => {
  test('does not wait; the sync starts when the current work is done', async () => {
    const disk = slowDisk();
    durabilityOf(disk).begin();
    expect(disk.syncs).toHaveLength(0);
    await settle();
    expect(disk.syncs).toHaveLength(1);
  });

  test('gives a slow disk one sync at a time, and the next when it has finished', async () => {
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

describe('synced()', () => {
  test('waits for a sync of its own, because one under way began before the last record', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    await settle();
    const synced = stateOf(durability.synced());
    disk.syncs[0]?.done();
    await settle();
    expect(disk.syncs).toHaveLength(2);
    expect(synced.now()).toBe('waiting');
    disk.syncs[1]?.done();
    await settle();
    expect(synced.now()).toBe('synced');
  });

  test('takes the place of a sync that has not started yet', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    const synced = stateOf(durability.synced());
    await settle();
    disk.syncs[0]?.done();
    await settle();
    expect(disk.syncs).toHaveLength(1);
    expect(synced.now()).toBe('synced');
  });

  test('waits even if nothing was begun', async () => {
    const disk = slowDisk();
    const synced = stateOf(durabilityOf(disk).synced());
    await settle();
    expect(synced.now()).toBe('waiting');
    disk.syncs[0]?.done();
    await settle();
    expect(synced.now()).toBe('synced');
  });

  test('waits for the sync under way, too, because it can be the one that fails', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    await settle();
    const synced = stateOf(durability.synced());
    await settle();
    disk.syncs[1]?.done();
    await settle();
    expect(synced.now()).toBe('waiting');
    disk.syncs[0]?.fail(new Error('EIO'));
    await settle();
    disk.syncs[1]?.done();
    await settle();
    expect(synced.now()).toBe('EIO');
  });

  test('fails forever once any sync has failed, because the system reports it only once', async () => {
    const disk = slowDisk();
    const durability = durabilityOf(disk);
    durability.begin();
    await settle();
    disk.syncs[0]?.fail(new Error('EIO'));
    await settle();
    const synced = stateOf(durability.synced());
    await settle();
    disk.syncs[1]?.done();
    await settle();
    expect(synced.now()).toBe('EIO');
  });

  test('fails if its sync fails, so that nothing becomes visible outside', async () => {
    const disk = slowDisk();
    const synced = stateOf(durabilityOf(disk).synced());
    await settle();
    disk.syncs[0]?.fail(new Error('EIO'));
    await settle();
    expect(synced.now()).toBe('EIO');
  });
});
