/** A clock that the agent can set, for all programs of a scene: libfaketime reads its offset from a file at every look. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newMounts } from './disk.mjs';

/** As after a suspend, the monotonic clock knows nothing of it. */
export function fakedClock(folder) {
  const file = join(folder, 'clock');
  writeFileSync(file, '+0\n');
  const env = {
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  // The library leaves a piece of shared memory for each process that is killed: it gets a /dev/shm that goes with them.
  const ownMemory = 'mount -t tmpfs loopbench /dev/shm && exec "$@"';
  return { env, front: ['unshare', ...newMounts(), 'sh', '-c', ownMemory, 'sh', 'env', `LD_PRELOAD=${library()}`] };
}

/** Debian has one folder for each architecture. Where it is missing, no clock jumps, and the scenario is invalid. */
function library() {
  const found = readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'));
  return found.find((path) => existsSync(path)) ?? '';
}
