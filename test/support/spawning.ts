/** A spawner that is there, for tests of what it starts. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import {
  type CgroupHome,
  findCgroupHome,
  leafPath,
  makeLeaf,
  removeLeafIfEmpty,
} from '../../src/process/containment/cgroup.ts';
import { openSpawner, type Spawner, type SpawnRequest } from '../../src/process/spawner.ts';
import { endProcessesOf } from './processes.ts';

/** In a leaf of its own, with `$SCENE` as its folder; the leaf goes with the test. */
export function requestOf(home: CgroupHome, argv: readonly string[], folder: string): SpawnRequest {
  const leaf = leafPath(home, `spawn-${randomUUID()}`);
  makeLeaf(leaf);
  onTestFinished(() => void removeLeafIfEmpty(leaf));
  const env = { PATH: process.env.PATH, SCENE: folder };
  const files = { stdin: '/dev/null', stdout: join(folder, 'stdout.log'), stderr: join(folder, 'stderr.log') };
  return { argv, cwd: folder, env, leaf, ...files };
}

/** Asks until it has come; null where it cannot be. */
export async function readySpawner(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<Spawner> {
  const home = findCgroupHome();
  if (home === null) throw new Error('no cgroups here');
  const spawner = openSpawner({ ...env, SCENE: folder }, 1);
  onTestFinished(() => void endProcessesOf(folder));
  onTestFinished(() => spawner.close());
  const request = { ...requestOf(home, ['true'], folder), stdout: '/dev/null', stderr: '/dev/null' };
  const first = await vi.waitUntil(() => spawner.start(request), { interval: 2, timeout: 10_000 });
  await first.exited;
  return spawner;
}
