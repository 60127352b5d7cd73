/** A folder of the test's own, gone when the test is. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const SHARED_MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 29;

/** For what a sandbox of the operating system is to see: it has a `/dev` of its own. */
export const ON_DISK = tmpdir();

/** Where the machine can: a disk costs the thousands of folders that tests make and remove a third of their time. */
export const IN_MEMORY = isFit() ? SHARED_MEMORY : ON_DISK;

export function testFolder(parent = IN_MEMORY): string {
  const folder = realpathSync(mkdtempSync(join(parent, 'ralph-unit-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** In a container it often has little room, and programs in it cannot be started. */
function isFit(): boolean {
  if (!existsSync(SHARED_MEMORY) || !existsSync('/proc/mounts')) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, place]) => place === SHARED_MEMORY);
  return bavail * bsize >= ROOM_BYTES && mount?.[3]?.split(',').includes('noexec') === false;
}
