/** Leads from a worker's name to its loop. Beside the seed's files, not among them: `rm -rf ~/.swarm/ralph` must not lose a loop. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ifThere, makeFolders, readPlainText } from '../../../process/files.ts';
import { writeProjection } from '../../../state/projection.ts';

export function pointTo(home: string, name: string, loop: string): void {
  makeFolders(pointersFolder(home), 0o700);
  writeProjection(join(pointersFolder(home), name), `${loop}\n`);
}

export function loopOf(home: string, name: string): string | null {
  const id = ifThere(() => readPlainText(join(pointersFolder(home), name)))?.trim() ?? '';
  return ID.test(id) ? id : null;
}

export function forgetLoop(home: string, name: string): void {
  rmSync(join(pointersFolder(home), name), { force: true });
}

/** The loops that workers have; of this user's swarm. */
export function loopsOfWorkers(home: string): Set<string> {
  const names = ifThere(() => readdirSync(pointersFolder(home))) ?? [];
  return new Set(names.flatMap((name) => loopOf(home, name) ?? []));
}

/** One file for each worker that has a loop. */
export function pointersFolder(home: string): string {
  return join(home, 'loops');
}

/** As ids are made: anything else would lead to another folder. */
const ID = /^[\w-]+$/;
