/**
 * One folder per start of a process. Making it is the claim: whoever makes it may start, whoever finds it there knows
 * that somebody did, or was about to. So no key is started twice, whatever dies when.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/error.ts';

export interface Claim {
  readonly folder: string;
  /** False when an earlier supervisor made the folder. */
  readonly isNew: boolean;
}

export function claimRun(loop: string, name: string): Claim {
  const folder = runFolder(loop, name);
  try {
    mkdirSync(folder, { mode: 0o700 });
    return { folder, isNew: true };
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EEXIST') return { folder, isNew: false };
    if (code !== 'ENOENT') throw error;
  }
  mkdirSync(join(loop, 'runs'), { recursive: true, mode: 0o700 });
  return claimRun(loop, name);
}

/** For what may be done again when nobody recorded it: claims the next attempt, and names those that were cut off. */
export function claimAttempt(
  loop: string,
  name: string,
): { folder: string; attempt: number; cutOff: readonly string[] } {
  const cutOff: string[] = [];
  for (let attempt = 1; ; attempt++) {
    const { folder, isNew } = claimRun(loop, attempt === 1 ? name : `${name}.${attempt}`);
    if (isNew) return { folder, attempt, cutOff };
    cutOff.push(folder);
  }
}

function runFolder(loop: string, name: string): string {
  return join(loop, runFolderName(name));
}

/** Relative to the loop's folder, as the journal holds it. */
export function runFolderName(name: string): string {
  return join('runs', name.replaceAll('/', '-'));
}
