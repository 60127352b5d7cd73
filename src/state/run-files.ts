/**
 * The files of a loop's runs lie side by side, each with its run's name. Making the one for its output is the claim: a
 * supervisor that finds it knows that another has started the run, or was about to. So no key is started twice.
 */
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import { makeFolders, writeFile } from '../process/files.ts';

export type AttemptClaim = ReturnType<typeof claimAttempt>;

/** In the folder of all runs the name is that of the run's files. `isNew` is false when an earlier supervisor made the claim. */
export function claimRun(loop: string, key: string): { folder: string; name: string; isNew: boolean } {
  const folder = runsFolder(loop);
  const name = runFileName(key, 1);
  return { folder, name, isNew: claim(folder, name) };
}

/** For what may be done again when it was not recorded: claims the next attempt, and names those that were cut off. */
export function claimAttempt(loop: string, key: string) {
  const folder = runsFolder(loop);
  const cutOff: { readonly name: string; readonly attempt: number }[] = [];
  for (let attempt = 1; ; attempt++) {
    const name = runFileName(key, attempt);
    if (claim(folder, name)) return { folder, name, attempt, cutOff };
    cutOff.push({ name, attempt });
  }
}

const ROOM = Buffer.alloc(64 * 1024);

/** Throws when there is no room for what a run prints: it has failed by that, or was not heard, and is not to count. */
export function refuseFull(folder: string, output: string): void {
  const probe = join(folder, `.room-${process.pid}`);
  try {
    writeFile(probe, ROOM, { mode: 0o600 });
  } catch (error) {
    // Any other trouble with the folder is reported where the folder is needed.
    if (!['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '')) return;
    throw Object.assign(error as Error, { path: join(folder, output) });
  } finally {
    rmSync(probe, { force: true });
  }
}

export function runsFolder(loop: string): string {
  return join(loop, 'runs');
}

export function outputFile(name: string): string {
  return `${name}.out`;
}

function runFileName(key: string, attempt: number): string {
  const name = key.replaceAll('/', '-');
  return attempt === 1 ? name : `${name}.${attempt}`;
}

function claim(folder: string, name: string): boolean {
  try {
    closeSync(openSync(join(folder, outputFile(name)), 'ax', 0o600));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  makeFolders(folder, 0o700);
  return claim(folder, name);
}
