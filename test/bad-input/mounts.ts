/** A mount namespace for one test: small or read-only disks that no other process sees, and that vanish with it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface Mounts {
  /** Runs the command that follows inside the namespace. */
  readonly front: readonly string[];
  /** Mounts a disk of this size over a folder, whose content is hidden until it is unmounted. */
  smallDisk(path: string, size: string): void;
  /** Makes the folder read-only. */
  readOnly(path: string): void;
  unmount(path: string): void;
  /** The path by which the test itself reaches a path in the namespace. */
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
    // A process whose current directory was mounted over still sees the old content, so it must enter it again.
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
