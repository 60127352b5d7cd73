/** Leads from a worker's name to its loop. Beside the seed's files, not among them: `rm -rf ~/.swarm/ralph` must not lose a loop. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../core/error.ts';
import { makeFolders, readPlainText } from '../../../process/files.ts';
import { writeProjection } from '../../../state/projection.ts';

export function pointTo(home: string, name: string, loop: string): void {
  makeFolders(pointersFolder(home), 0o700);
  writeProjection(join(pointersFolder(home), name), `${loop}\n`);
}

export function loopOf(home: string, name: string): string | null {
  try {
    const id = readPlainText(join(pointersFolder(home), name)).trim();
    return ID.test(id) ? id : null;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

export function forgetLoop(home: string, name: string): void {
  rmSync(join(pointersFolder(home), name), { force: true });
}

/** The loops that workers have; of this user's swarm. */
export function loopsOfWorkers(home: string): Set<string> {
  try {
    return new Set(readdirSync(pointersFolder(home)).flatMap((name) => loopOf(home, name) ?? []));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return new Set();
    throw error;
  }
}

/** One file for each worker that has a loop. */
export function pointersFolder(home: string): string {
  return join(home, 'loops');
}

/** As ids are made: anything else would lead to another folder. */
const ID = /^[\w-]+$/;
