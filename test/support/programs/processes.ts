/** Finds what a scene's programs left: cgroups, and processes with its folder in their environment or command line. */
import { closeSync, openSync, readdirSync, readSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { findCgroupHome } from '../../../src/process/containment/cgroup.ts';
import { ifThere } from '../../../src/process/files.ts';

export interface Found {
  readonly pid: number;
  readonly command: string;
}

export function processesOf(folder: string): Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => names(pid, 'environ', folder) || names(pid, 'cmdline', folder))
    .map((pid) => ({
      pid: Number(pid),
      command: read(pid, 'cmdline').toString('latin1').replaceAll('\0', ' ').trim(),
    }));
}

/** Kills what is left, and returns the command lines. */
export function endProcessesOf(folder: string): string[] {
  const ended: string[] = [];
  for (let left = processesOf(folder); left.length > 0; left = processesOf(folder)) {
    for (const { pid, command } of left) {
      ended.push(command);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has exited by itself meanwhile.
      }
    }
  }
  return [...new Set(ended)];
}

/** Removes the cgroups that runs of these loops left, and returns their paths. */
export function removeLeavesOf(loops: readonly string[]): string[] {
  const left = loops.length === 0 ? [] : cgroupsHere().filter((path) => loops.some((id) => path.includes(id)));
  // The innermost first.
  for (const path of left.toReversed()) rmdirSync(path);
  return left;
}

/** The paths of all cgroups next to that of this process, where runs have theirs, and below. */
export function cgroupsHere(): string[] {
  const below = (path: string): string[] => {
    const entries = ifThere(() => readdirSync(path, { withFileTypes: true })) ?? [];
    const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
    return inner.flatMap((each) => [each, ...below(each)]);
  };
  const home = findCgroupHome();
  return home === null ? [] : below(home.path);
}

function names(pid: string, file: string, folder: string): boolean {
  return read(pid, file).includes(folder);
}

/** One buffer for all reads, since every test looks at every process. No environment can be larger. */
const space = Buffer.alloc(2 ** 22);

/** The result is valid until the next read. */
function read(pid: string, file: string): Buffer {
  let fd: number | null = null;
  try {
    fd = openSync(`/proc/${pid}/${file}`, 'r');
    return space.subarray(0, readSync(fd, space, 0, space.length, 0));
  } catch {
    // It exited while we looked, or is a zombie or a kernel thread.
    return space.subarray(0, 0);
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
