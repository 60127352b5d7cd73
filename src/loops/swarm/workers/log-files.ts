/** The files that hold what a worker printed. */
import { renameSync, rmSync } from 'node:fs';
import { errnoOf } from '../../../core/error.ts';
import { type Home, logPath } from './home.ts';

const KINDS = ['stdout', 'stderr', 'tmux'] as const;

/** A new worker's log holds nothing of an earlier one of its name; that one's is kept beside it, once. */
export function putAsideLogs(home: Home, name: string): void {
  for (const kind of KINDS) {
    const path = logPath(home, name, kind);
    try {
      renameSync(path, previous(path));
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}

export function removeLogs(home: Home, name: string): void {
  for (const kind of KINDS) {
    const path = logPath(home, name, kind);
    for (const file of [path, previous(path)]) rmSync(file, { force: true });
  }
}

function previous(path: string): string {
  return `${path}.previous`;
}
