/**
 * Reads files that an agent may have replaced by anything: a link, a pipe, a device, a folder. Only a plain file of a
 * sensible size is read; whoever opened a pipe as if it were one would wait for a writer for ever.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { errnoOf, RalphError } from '../core/error.ts';

const LARGEST = 16 * 1024 * 1024;
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** Null when there is no plain file of this very name that can be read: a link is none. */
export function readPlain(path: string): string | null {
  return readPlainBytes(path)?.toString('utf8') ?? null;
}

/** The same, byte by byte. */
export function readPlainBytes(path: string, largest = LARGEST): Buffer | null {
  try {
    return contentOf(openPlain(path, O_NOFOLLOW), path, largest);
  } catch (error) {
    if (error instanceof RalphError || ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? ''))
      return null;
    throw error;
  }
}

/** What a link leads to is read, too. Whatever stands in the way is thrown, and named by its path. */
export function readPlainText(path: string): string {
  return contentOf(openPlain(path), path, LARGEST).toString('utf8');
}

/** The caller closes it. */
export function openPlain(path: string, flags = 0): number {
  const fd = openAny(path, flags);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notPlain(path);
}

/** A socket, or a device that nobody serves, cannot even be opened. */
function openAny(path: string, flags: number): number {
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK | flags);
  } catch (error) {
    throw ['ENXIO', 'ENODEV'].includes(errnoOf(error) ?? '') ? notPlain(path) : error;
  }
}

function contentOf(fd: number, path: string, largest: number): Buffer {
  try {
    if (fstatSync(fd).size > largest) throw new RalphError('PLAIN_FILE', `${path} is too large`, { exitCode: 2 });
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function notPlain(path: string): RalphError {
  return new RalphError('PLAIN_FILE', `${path} is not a plain file`, { exitCode: 2 });
}
