/** Finds the program that a command names, as the operating system would. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { errnoOf } from '../core/error.ts';
import { nullOn } from './files.ts';

export function findProgram(command: string, path: string | undefined, cwd: string): string | null {
  return candidates(command, path, cwd).find((file) => whyNotRunnable(file) === null) ?? null;
}

/** Of a command that names no program: what stands there instead; null where there is nothing of this name. */
export function whyNoProgram(command: string, path: string | undefined, cwd: string): string | null {
  const found = candidates(command, path, cwd).map((file) => ({ file, why: whyNotRunnable(file) }));
  const first = found.find(({ why }) => why !== null && why !== MISSING);
  return first === undefined ? null : `${first.file} ${first.why}`;
}

function candidates(command: string, path: string | undefined, cwd: string): string[] {
  const folders = command.includes('/') ? ['.'] : (path ?? '').split(delimiter);
  return folders.map((folder) => resolve(cwd, folder, command));
}

const MISSING = 'does not exist';

/** Null for a program that can be started. */
function whyNotRunnable(file: string): string | null {
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return stat.isDirectory() ? 'is a directory' : 'is not a program';
  } catch (error) {
    return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR' ? MISSING : `cannot be read: ${errnoOf(error)}`;
  }
  if (!mayRun(file)) return 'is not executable';
  const interpreter = interpreterOf(file);
  if (interpreter === null || mayRun(resolve(interpreter))) return null;
  return `needs the interpreter ${interpreter}, which cannot be run`;
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run.
    return false;
  }
}

/** Of a script; null for any other program, and for one that may be run but not read. */
function interpreterOf(file: string): string | null {
  const fd = nullOn(['EACCES', 'EPERM', 'ENOENT'], () => openSync(file, 'r'));
  if (fd === null) return null;
  try {
    const buffer = Buffer.alloc(256);
    const head = buffer.toString('utf8', 0, readSync(fd, buffer));
    return /^#!\s*(\S+)/.exec(head)?.[1] ?? null;
  } finally {
    closeSync(fd);
  }
}
