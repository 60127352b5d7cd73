/** A file that others read and we rewrite: replaced in one step, never half-written, never the truth. */
import { renameSync, unlinkSync } from 'node:fs';
import { ifThere, nullOn, writeFile } from '../process/files.ts';

export function writeProjection(path: string, content: string | Uint8Array): void {
  replaceFile(path, content);
}

/** In one step: a reader finds the one content or the other, whole. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const next = `${path}.next`;
  try {
    writeAnew(next, content, 0o600);
    renameSync(next, path);
  } catch (error) {
    try {
      unlinkSync(next);
    } catch {
      // It was never made, or cannot be removed either: why it could not be written matters more.
    }
    // The other name says nothing to a person.
    throw error instanceof Error && 'syscall' in error ? Object.assign(error, { path }) : error;
  }
}

/** What a dead writer left under this name goes: a pipe there would be waited for, for ever. */
export function writeAnew(path: string, content: string | Uint8Array, mode: number): void {
  const write = (): void => writeFile(path, content, { mode, flag: 'wx' });
  if (nullOn(['EEXIST'], write) !== null) return;
  // Not by `rmSync`, which would empty a folder that an agent puts in its place meanwhile.
  ifThere(() => unlinkSync(path));
  write();
}
