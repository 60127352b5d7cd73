/** Finds what a scene's programs left: processes, by its folder's name in their environment or command line, and cgroups. */
import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { findCgroupHome } from '../../src/process/containment/cgroup.ts';

export interface Found {
  readonly pid: number;
  readonly command: string;
}

export function processesOf(folder: string): Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => `${read(pid, 'environ')}\0${read(pid, 'cmdline')}`.includes(folder))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
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
  const home = loops.length === 0 ? null : findCgroupHome();
  if (home === null) return [];
  const left = readdirSync(home.path).filter((name) => loops.some((id) => name.includes(id)));
  for (const name of left) rmdirSync(join(home.path, name));
  return left;
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // Gone while we looked, or a zombie.
    return '';
  }
}
