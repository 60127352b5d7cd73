/** Leads from a worker's name to its loop. Beside the seed's files, not among them: `rm -rf ~/.swarm/ralph` must not lose a loop. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../core/error.ts';
import { writeProjection } from '../../../state/projection.ts';

export function pointTo(home: string, name: string, loop: string): void {
  mkdirSync(join(home, FOLDER), { recursive: true, mode: 0o700 });
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

/** The loops that workers have; of this user's swarm. */
export function loopsOfWorkers(home: string): Set<string> {
  try {
    return new Set(readdirSync(join(home, FOLDER)).flatMap((name) => loopOf(home, name) ?? []));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return new Set();
    throw error;
  }
}

const FOLDER = 'loops';
