/**
 * Writes files of the project that an agent may have replaced by anything, a link, a pipe, a folder: what is written
 * replaces whatever stands there, never what it points to.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A PRD may be larger than a list. */
export const LARGEST_PRD = 256 * 1024 * 1024;

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
