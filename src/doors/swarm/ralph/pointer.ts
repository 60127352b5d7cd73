/** Leads from a worker's name to its loop. Beside the seed's files, not among them: `rm -rf ~/.swarm/ralph` must not lose a loop. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../core/error.ts';
import { makeFolders } from '../../../process/files.ts';
import { writeProjection } from '../../../state/projection.ts';

export function pointTo(home: string, name: string, loop: string): void {
  makeFolders(join(home, FOLDER), 0o700);
  writeProjection(join(home, FOLDER, name), `${loop}\n`);
}

export function loopOf(home: string, name: string): string | null {
  try {
    return readFileSync(join(home, FOLDER, name), 'utf8').trim() || null;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

export function forgetLoop(home: string, name: string): void {
  rmSync(join(home, FOLDER, name), { force: true });
}

const FOLDER = 'loops';
