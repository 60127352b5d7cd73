/** Why a bus cannot be written or read, in words. */
import { fstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { defined } from '../core/defined.ts';
import { errnoOf, RalphError } from '../core/error.ts';

const REASONS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'file too large',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a link that leads nowhere',
};

export function cannotWrite(path: string, error: unknown): Error {
  return faultOf(error, (code, isMissing) => {
    if (isMissing) {
      return new RalphError('BUS_FOLDER', `cannot write message bus ${path}: no folder ${dirname(path)}`, {
        hint: 'A message bus lies in the folder of its project or task.',
      });
    }
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    const hint = isFull ? 'Make room on the disk; nothing that stood on the bus is lost.' : undefined;
    const fact = `cannot write message bus ${path}: ${REASONS[code] ?? code}`;
    return new RalphError('BUS_WRITE', fact, defined({ hint }));
  });
}

export function cannotRead(path: string, error: unknown): Error {
  return faultOf(error, (code, isMissing) => {
    const reason = isMissing ? 'there is none' : (REASONS[code] ?? code);
    const fact = `cannot read message bus ${path}: ${reason}`;
    return new RalphError(isMissing ? 'BUS_MISSING' : 'BUS_READ', fact);
  });
}

/** Of an open bus; a pipe, a device or a folder has none. */
export function sizeOf(fd: number, path: string): number {
  const stat = fstatSync(fd);
  if (!stat.isFile()) throw new RalphError('BUS', `message bus ${path} is not a file`);
  return stat.size;
}

/** Anything but a system error is a bug and stays what it is. */
function faultOf(error: unknown, inWords: (code: string, isMissing: boolean) => RalphError): Error {
  const code = errnoOf(error);
  if (code !== undefined && /^E[A-Z0-9]+$/.test(code)) return inWords(code, code === 'ENOENT' || code === 'ENOTDIR');
  return error instanceof Error ? error : new Error(String(error));
}
