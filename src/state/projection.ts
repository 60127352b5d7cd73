/** Writes files that others read and the loop rewrites: replaced in one step, never half-written, never the truth. */
import { renameSync, unlinkSync } from 'node:fs';
import type { Instant } from '../core/time.ts';
import { ifThere, nullOn, writeFile } from '../process/files.ts';

export function writeProjection(path: string, content: string | Uint8Array): void {
  replaceFile(path, content);
}

/** Replaces the file in one step: a reader sees the old content or the new one, whole. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const next = `${path}.next`;
  try {
    writeAnew(next, content, 0o600);
    renameSync(next, path);
  } catch (error) {
    try {
      unlinkSync(next);
    } catch {
      // It was never created, or cannot be removed either: the first error matters more.
    }
    // Report the real path: the temporary one says nothing to people.
    throw error instanceof Error && 'syscall' in error ? Object.assign(error, { path }) : error;
  }
}

/** Removes what a dead writer left under this name: opening a pipe there would block for ever. */
export function writeAnew(path: string, content: string | Uint8Array, mode: number): void {
  const write = (): void => writeFile(path, content, { mode, flag: 'wx' });
  if (nullOn(['EEXIST'], write) !== null) return;
  // Not `rmSync`: it would empty a folder that an agent puts there in the meantime.
  ifThere(() => unlinkSync(path));
  write();
}

/** A time as these files have it: `2026-02-23T19:17:10Z`. */
export function isoSeconds(at: Instant): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
