/** A clock that the agent can set, for all programs of a scene: libfaketime reads its offset from a file each time. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newMounts } from './disk.mjs';
import { logAs, logged } from './witnessed.mjs';

/** As after a suspend, the monotonic clock does not jump. */
export function fakedClock(folder) {
  const file = join(folder, 'clock');
  writeFileSync(file, '+0\n');
  const env = {
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  // The library leaves shared memory for each process that is killed, so these get a /dev/shm that goes with them.
  const ownMemory = 'mount -t tmpfs loopbench /dev/shm && exec "$@"';
  return { env, front: ['unshare', ...newMounts(), 'sh', '-c', ownMemory, 'sh', 'env', `LD_PRELOAD=${library()}`] };
}

/** Moves the clock some time after an event was logged, and logs what a program of the scene then reads. */
export async function jumpLater(scene, { jumps, afterLog, laterMs }) {
  if (!(await logged(scene, afterLog))) return;
  await pause(laterMs);
  if (scene.over.aborted) return;
  const before = Date.now();
  writeFileSync(join(scene.folder, 'clock'), `${jumps}\n`);
  const [program, ...args] = [...scene.front, 'date', '+%s'];
  const after = Number(execFileSync(program, args, { env: scene.env, encoding: 'utf8' })) * 1000;
  logAs(scene, 'clock', { before, after });
}

/** Debian has one folder per architecture. If the library is missing, no clock jumps, and the scenario is invalid. */
function library() {
  const found = readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'));
  return found.find((path) => existsSync(path)) ?? '';
}
