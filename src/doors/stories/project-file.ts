/**
 * Reads and writes files of the project that an agent may have replaced by anything: a link, a pipe, a folder. Only a plain
 * file of a sensible size is read, and what is written replaces whatever stands there, never what it points to.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../core/error.ts';

const LARGEST = 16 * 1024 * 1024;
export const LARGEST_PRD = 256 * 1024 * 1024;

/** Null when there is no file that can be read. */
export function readPlain(path: string): string | null {
  try {
    const stat = lstatSync(path);
    return stat.isFile() && stat.size <= LARGEST ? readFileSync(path, 'utf8') : null;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/** The same, byte by byte; a PRD may be larger than a list, and need not be UTF-8. */
export function readBytes(path: string, largest = LARGEST): Buffer | null {
  try {
    const stat = lstatSync(path);
    return stat.isFile() && stat.size <= largest ? readFileSync(path) : null;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/** Null takes the file away. */
export function replaceFile(path: string, content: string | Uint8Array | null): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (content === null || (there !== undefined && !there.isFile())) rmSync(path, { recursive: true, force: true });
  if (content === null) return;
  mkdirSync(dirname(path), { recursive: true });
  const next = join(dirname(path), `.${randomUUID()}.ralph`);
  // Whatever the agent has put there under this name, it is not written through.
  writeFileSync(next, content, { mode: there?.isFile() ? there.mode & 0o777 : 0o644, flag: 'wx' });
  renameSync(next, path);
}
