/** Detects when an agent has changed or removed the loop's own records, and restores them from memory. */
import type { Stats } from 'node:fs';
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../core/error.ts';
import type { Recorded } from '../../core/record.ts';
import { writeFile } from '../../process/files.ts';
import { makePrivateFolder, syncToDisk } from '../../state/folders.ts';

const PIECE = 64 * 1024;

export function journalWatch(path: string) {
  const file = openSync(path, 'r');
  const written: Buffer[] = [readFileSync(file)];
  /** The lines after `written`. A small buffer for each would keep alive the pool from which Node took its memory. */
  let last = Buffer.alloc(0);
  let used = 0;
  let size = written[0]?.length ?? 0;
  const whole = (): Buffer[] => [...written, last.subarray(0, used)];
  let seen = fstatSync(file);

  const isAsWritten = (): boolean => {
    const content = Buffer.alloc(size);
    readSync(file, content, 0, size, 0);
    return content.equals(Buffer.concat(whole()));
  };
  return {
    /** What was done to the journal since our last record, in a sentence; null if it is as we left it. */
    harm(): string | null {
      const now = statOf(path);
      if (typeof now === 'string') return `${path} ${now}`;
      const isOurs = now.ino === seen.ino && now.dev === seen.dev && now.size === size;
      // A hard link made by a backup changes the time, too, and does no harm.
      if (!isOurs || (now.ctimeMs !== seen.ctimeMs && !isAsWritten())) return `${path} was changed`;
      seen = now;
      return null;
    },
    /** Call after each line that we append. */
    appended(line: Buffer): void {
      seen = fstatSync(file);
      if (used + line.length > last.length) {
        written.push(last.subarray(0, used));
        last = Buffer.alloc(Math.max(PIECE, line.length));
        used = 0;
      }
      used += line.copy(last, used);
      size += line.length;
    },
    /** Writes the journal again as it was, followed by these records. Whatever is in its place is moved aside. */
    restore(more: readonly Recorded[]): void {
      const folder = dirname(path);
      if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) moveAside(folder);
      makePrivateFolder(folder);
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) moveAside(path);
      const lines = more.map((record) => Buffer.from(`${JSON.stringify(record)}\n`));
      writeFile(path, Buffer.concat([...whole(), ...lines]), { mode: 0o600, flag: 'wx' });
      syncToDisk(path);
      syncToDisk(folder);
    },
    close: () => closeSync(file),
  };
}

/** If the error came from a missing file of the loop's own folder, says which; null for any other error. */
export function missingFrom(folder: string, error: unknown): string | null {
  const path = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : null;
  const isOwn = path === folder || path?.startsWith(`${folder}/`) === true;
  const isGone = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(errnoOf(error) ?? '');
  return isOwn && isGone ? `${path} was removed` : null;
}

function moveAside(path: string): void {
  renameSync(path, `${path}.tampered-${Date.now()}`);
}

function statOf(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    const code = errnoOf(error) ?? '';
    return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code) ? 'was removed' : `cannot be read any more (${code})`;
  }
}
