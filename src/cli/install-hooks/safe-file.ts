/** Reads and replaces other programs' files: in one step, through links, with the mode that they had. */
import { chmodSync, lstatSync, realpathSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, RalphError } from '../../core/error.ts';
import { reasonOf, systemFault } from '../../core/system-fault.ts';
import { makeFolders, writeFile } from '../../process/files.ts';
import { readPlainText } from '../../state/plain-file.ts';

/** Null when there is none. */
export function readIfThere(path: string): string | null {
  try {
    return readPlainText(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw cannot('read', path, error);
  }
}

/** A link stays a link: what it leads to is replaced. */
export function replaceFile(path: string, content: string): void {
  const target = targetOf(path);
  // Beside the file, so that the rename stays on one file system; no agent looks for such a name.
  const next = join(dirname(target), `.${basename(target)}.ralph-next-${process.pid}`);
  try {
    makeFolders(dirname(target));
    writeFile(next, content, { flag: 'wx' });
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined) chmodSync(next, mode & 0o7777);
    renameSync(next, target);
  } catch (error) {
    rmSync(next, { force: true });
    throw cannot('write', path, error);
  }
}

export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw cannot('remove', path, error);
  }
}

/** The folders that must be made for a file, the innermost first. */
export function missingFolders(path: string): string[] {
  const folder = dirname(path);
  if (folder === path || statSync(folder, { throwIfNoEntry: false }) !== undefined) return [];
  return [folder, ...missingFolders(folder)];
}

/** Only if nothing is in it. */
export function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It is not empty, or it is gone.
  }
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (errnoOf(error) === 'ENOENT' && !isLink) return path;
    throw cannot('write', path, isLink ? new Error('it is a link that leads nowhere') : error);
  }
}

function cannot(verb: string, path: string, error: unknown): RalphError {
  if (error instanceof RalphError) return error;
  const advice = systemFault(error)?.advice.hint ?? 'Check the file and its directory.';
  return new RalphError('INSTALL_FILE', `cannot ${verb} ${path}: ${reasonOf(error)}`, {
    hint: `${advice} The file was left as it is. Then run this again.`,
  });
}
