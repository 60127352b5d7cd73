/** A separate disk that is soon full: a small tmpfs in a mount namespace, which goes with the process that holds it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** `path`: the disk as seen from outside. `front`: the command that starts a program which sees the disk. */
export async function smallDisk(folder, bytes) {
  const inside = join(folder, 'disk');
  mkdirSync(inside);
  const script = `mount -t tmpfs -o size=${bytes} loopbench "${inside}" && echo mounted && exec cat`;
  const holder = spawn('unshare', [...newMounts(), 'sh', '-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(holder, 'exit');
  const [said] = await Promise.race([once(holder.stdout, 'data'), exited]);
  if (String(said) !== 'mounted\n') throw new Error('a small disk could not be mounted');
  const enter = isRoot() ? [] : ['--user', '--preserve-credentials'];
  return {
    path: join(`/proc/${holder.pid}/root`, inside),
    front: ['nsenter', '--mount', ...enter, '--target', String(holder.pid)],
    async close() {
      holder.stdin.end();
      await exited;
    },
  };
}

/** The options of `unshare` for a private mount namespace. */
export function newMounts() {
  return isRoot() ? ['--mount'] : ['--mount', '--user', '--map-root-user'];
}

function isRoot() {
  return process.getuid() === 0;
}
