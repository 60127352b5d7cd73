/**
 * Reads files that an agent may have replaced by anything: a link, a pipe, a device, a folder. Only a plain file of a
 * sensible size is read; opening a pipe would wait for a writer for ever.
 */
import { closeSync, constants } from 'node:fs';
import { errnoOf, RalphError } from '../core/error.ts';
import { reasonOf } from '../core/system-fault.ts';
import { contentOf, openPlain } from '../process/files.ts';

export { openPlain, readPlainText } from '../process/files.ts';

const LARGEST = 16 * 1024 * 1024;

/** Null when there is no plain file of this very name that can be read: a link is none. */
export function readPlain(path: string): string | null {
  return readPlainBytes(path)?.toString('utf8') ?? null;
}

/** Why that is null, for a person. */
export function whyUnread(path: string): string {
  try {
    closeSync(openPlain(path, constants.O_NOFOLLOW));
    return 'it is too large';
  } catch (error) {
    if (error instanceof RalphError) return `it${error.message.slice(path.length)}`;
    return errnoOf(error) === 'ELOOP' ? 'it is a symbolic link, which is not followed' : reasonOf(error);
  }
}

/** The same, byte by byte. */
export function readPlainBytes(path: string, largest = LARGEST): Buffer | null {
  try {
    return contentOf(openPlain(path, constants.O_NOFOLLOW), path, largest);
  } catch (error) {
    if (error instanceof RalphError || ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? ''))
      return null;
    throw error;
  }
}
