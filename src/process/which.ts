/** Finds the program that a command refers to, as the operating system would. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { errnoOf } from '../core/error.ts';
import { fileStamp, nullOn, realPathSoFar } from './files.ts';

export function findProgram(command: string, path: string | undefined, cwd: string): string | null {
  return programFinder()(command, path, cwd);
}

/** For repeated lookups: a program that has not changed since it was last found is not opened again. */
export function programFinder(): typeof findProgram {
  let last: { readonly file: string; readonly stamp: string } | null = null;
  return (command, path, cwd) => {
    for (const folder of foldersOf(command, path)) {
      const file = resolve(cwd, folder, command);
      const stamp = fileStamp(file);
      if (stamp === null) continue;
      if (last?.file === file && last.stamp === stamp) return file;
      if (whyNotRunnable(file) !== null) continue;
      last = { file, stamp };
      return file;
    }
    return null;
  };
}

/**
 * A program of the system that we run ourselves, outside any sandbox: never one that an agent could have put there, in
 * its project or in a project's packages.
 */
export function findSystemProgram(name: string, path: string | undefined, workTree: string): string | null {
  const project = projectOf(realPathSoFar(workTree));
  const isSafe = (folder: string): boolean => {
    const real = isAbsolute(folder) ? `${realPathSoFar(folder)}/` : '';
    return real !== '' && !real.startsWith(`${project}/`) && !real.includes('/node_modules/');
  };
  return findProgram(name, (path ?? '').split(delimiter).filter(isSafe).join(delimiter), '/');
}

/** The folder that contains its repository, or the work tree itself. */
function projectOf(workTree: string): string {
  for (let folder = workTree; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
  }
  return workTree;
}

/** For a command that cannot be run: what is found under its name instead; null if nothing is. */
export function whyNoProgram(command: string, path: string | undefined, cwd: string): string | null {
  const candidates = foldersOf(command, path).map((folder) => resolve(cwd, folder, command));
  const found = candidates.map((file) => ({ file, why: whyNotRunnable(file) }));
  const first = found.find(({ why }) => why !== null && why !== MISSING);
  return first === undefined ? null : `${first.file} ${first.why}`;
}

function foldersOf(command: string, path: string | undefined): string[] {
  return command.includes('/') ? ['.'] : (path ?? '').split(delimiter);
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
    // It does not exist, or we must not run it.
    return false;
  }
}

/** Null if it is not a script, or can be run but not read. */
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
