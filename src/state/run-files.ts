/**
 * The files of a loop's runs are in one folder, each with its run's name. Creating the output file claims the run: a
 * supervisor that finds one knows that another has started the run, or was about to. So no key is started twice.
 */
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import { makeFolders, writeFile } from '../process/files.ts';

export type AttemptClaim = ReturnType<typeof claimAttempt>;

/** `name` is the base name of the run's files in `folder`. `isNew` is false if an earlier supervisor made the claim. */
export function claimRun(loop: string, key: string): { folder: string; name: string; isNew: boolean } {
  const folder = runsFolder(loop);
  const name = runFileName(key, 1);
  return { folder, name, isNew: claim(folder, name) };
}

/** For what may be repeated if it was not recorded: claims the next attempt, and names those that were cut off. */
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

/** Throws if there is no room for a run's output: the run failed by that, or was not heard, and must not count. */
export function refuseFull(folder: string, output: string): void {
  const probe = join(folder, `.room-${process.pid}`);
  try {
    writeFile(probe, ROOM, { mode: 0o600 });
  } catch (error) {
    // Any other problem with the folder is reported where the folder is used.
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
