/** A temporary folder for a test, removed when the test ends. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const SHARED_MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 29;

/** For what the operating system's sandbox must see: it has its own `/dev`. */
export const ON_DISK = tmpdir();

/** In memory if the machine can: tests make and remove thousands of folders, and a disk costs a third of their time. */
export const IN_MEMORY = isFit() ? SHARED_MEMORY : ON_DISK;

export function testFolder(parent = IN_MEMORY): string {
  const folder = realpathSync(mkdtempSync(join(parent, 'ralph-unit-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** In a container, `/dev/shm` is often small, and mounted so that programs in it cannot be started. */
function isFit(): boolean {
  if (!existsSync(SHARED_MEMORY) || !existsSync('/proc/mounts')) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, place]) => place === SHARED_MEMORY);
  return bavail * bsize >= ROOM_BYTES && mount?.[3]?.split(',').includes('noexec') === false;
}
