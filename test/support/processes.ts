/** Finds the processes of a scene by its folder's name, which stands in their environment or on their command line. */
import { readdirSync, readFileSync } from 'node:fs';

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

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // Gone while we looked, or a zombie.
    return '';
  }
}
