/** Finds what a scene's programs left: processes, by its folder's name in their environment or command line, and cgroups. */
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

/** Ends what is left, and tells what that was. */
export function endProcessesOf(folder: string): string[] {
  const ended: string[] = [];
  for (let left = processesOf(folder); left.length > 0; left = processesOf(folder)) {
    for (const { pid, command } of left) {
      ended.push(command);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It went by itself in between.
      }
    }
  }
  return [...new Set(ended)];
}

/** Removes the cgroups that runs of these loops left, and tells which those were. */
export function removeLeavesOf(loops: readonly string[]): string[] {
  const left = loops.length === 0 ? [] : cgroupsHere().filter((path) => loops.some((id) => path.includes(id)));
  // The innermost first.
  for (const path of left.toReversed()) rmdirSync(path);
  return left;
}

/** The paths of all that there are around this process and below. */
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

/** One for all, as every test looks at every process; the kernel lets no environment be larger. */
const space = Buffer.alloc(2 ** 22);

/** Good until the next read. */
function read(pid: string, file: string): Buffer {
  let fd: number | null = null;
  try {
    fd = openSync(`/proc/${pid}/${file}`, 'r');
    return space.subarray(0, readSync(fd, space, 0, space.length, 0));
  } catch {
    // Gone while we looked, a zombie, or a part of the kernel.
    return space.subarray(0, 0);
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
