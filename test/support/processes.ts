/** Finds what a scene's programs left: processes, by its folder's name in their environment or command line, and cgroups. */
import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

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

/** Removes the cgroups that the runs of a state folder left, and tells which those were. */
export function removeLeavesOf(state: string): string[] {
  if (!existsSync(state)) return [];
  const traces = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('process.jsonl'),
  );
  const plans = traces.map((path) => readFileSync(join(state, path), 'utf8').split('\n')[0] ?? '');
  const leaves = plans.map((plan) => (JSON.parse(plan) as { leaf: string | null }).leaf);
  const left = leaves.filter((leaf) => leaf !== null).filter((leaf) => existsSync(leaf));
  for (const leaf of left) rmdirSync(leaf);
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
