/** Notices that an agent has changed or removed the loop's own records, and writes them again, from memory. */
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
  /** What comes behind them. A small buffer for each line would keep what else Node has put into the same piece of memory. */
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
    /** What was done to the journal since our last record, in a sentence; null where it is as we left it. */
    harm(): string | null {
      const now = statOf(path);
      if (typeof now === 'string') return `${path} ${now}`;
      const isOurs = now.ino === seen.ino && now.dev === seen.dev && now.size === size;
      // A link that a backup makes changes the time as well, and does no harm.
      if (!isOurs || (now.ctimeMs !== seen.ctimeMs && !isAsWritten())) return `${path} was changed`;
      seen = now;
      return null;
    },
    /** This line of ours was appended. */
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
    /** Writes the journal again as it was, and these records behind it. What lies in its place is moved aside. */
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

/** What an error says that a performer met because something of the loop's own folder is gone; null for any other. */
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
