/** A mount namespace of the test's own: disks that are small or read-only, which no other process sees and which go with it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface Mounts {
  /** Runs a command where the mounts are. */
  readonly front: readonly string[];
  /** A disk of this size over a folder; whatever lay there is hidden until it is unmounted. */
  smallDisk(path: string, size: string): void;
  /** What lies there, read-only. */
  readOnly(path: string): void;
  unmount(path: string): void;
  /** How the test itself gets at a path in there. */
  seen(path: string): string;
}

export async function ownMounts(): Promise<Mounts> {
  const isRoot = process.getuid?.() === 0;
  const apart = isRoot ? ['--mount'] : ['--mount', '--user', '--map-root-user'];
  const holder = spawn('unshare', [...apart, 'sh', '-c', 'echo ready; exec sleep infinity'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH },
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const pid = String(holder.pid);
  const enter = ['--target', pid, '--mount', ...(isRoot ? [] : ['--user', '--preserve-credentials'])];
  const inside = (...command: string[]): void =>
    void execFileSync('nsenter', [...enter, ...command], { stdio: 'pipe' });
  return {
    // A process that is in a folder when a disk is mounted over it sees what lay there before.
    front: ['nsenter', ...enter, 'sh', '-c', 'cd "$BENCH_CWD" && exec "$@"', 'sh'],
    smallDisk: (path, size) => inside('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path),
    readOnly(path) {
      inside('mount', '--bind', path, path);
      inside('mount', '-o', 'remount,ro,bind', path);
    },
    unmount: (path) => inside('umount', path),
    seen: (path) => `/proc/${pid}/root${path}`,
  };
}
