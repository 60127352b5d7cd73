/** Errors of the operating system, in words for people. One that is not listed here is a bug, and shows its stack. */
import { errnoOf, RalphError } from './error.ts';

interface Kind {
  readonly reason: string;
  readonly hint: string;
  /** Choosing another folder would help as well. */
  readonly isOfPlace?: true;
}

const FULL = 'Free some space on that disk.';
const ALLOW = 'Change its permissions or its owner.';
const IN_THE_WAY = 'Move it out of the way.';

const KINDS: Readonly<Record<string, Kind>> = {
  ENOSPC: { reason: 'no space left on device', hint: FULL, isOfPlace: true },
  EDQUOT: { reason: 'disk quota exceeded', hint: FULL, isOfPlace: true },
  EFBIG: { reason: 'file too large', hint: 'Raise the limit (ulimit -f), or remove the file.' },
  EROFS: { reason: 'read-only file system', hint: 'Mount it writable.', isOfPlace: true },
  EACCES: { reason: 'permission denied', hint: ALLOW, isOfPlace: true },
  EPERM: { reason: 'operation not permitted', hint: ALLOW, isOfPlace: true },
  EIO: { reason: 'input/output error', hint: 'Check the disk.', isOfPlace: true },
  ENOENT: { reason: 'no such file or directory', hint: 'Check that the path exists.', isOfPlace: true },
  EEXIST: { reason: 'something else has this name', hint: IN_THE_WAY, isOfPlace: true },
  EISDIR: { reason: 'it is a directory, not a file', hint: IN_THE_WAY },
  ENOTDIR: { reason: 'part of this path is a file, not a directory', hint: IN_THE_WAY, isOfPlace: true },
  ENOTEMPTY: { reason: 'directory not empty', hint: IN_THE_WAY },
  ELOOP: { reason: 'too many symbolic links', hint: 'Remove the link that leads back to itself.', isOfPlace: true },
  ENAMETOOLONG: { reason: 'file name too long', hint: 'Use a shorter path.', isOfPlace: true },
  ENXIO: { reason: 'it is not a regular file', hint: IN_THE_WAY },
  ENODEV: { reason: 'it is not a regular file', hint: IN_THE_WAY },
  EBUSY: { reason: 'it is in use', hint: 'Try again when it is not.' },
  ESTALE: { reason: 'stale file handle', hint: 'Mount the network disk again.', isOfPlace: true },
  EMFILE: { reason: 'too many open files', hint: 'Raise the limit (ulimit -n).' },
  ENFILE: { reason: 'too many open files on this machine', hint: 'Close some programs.' },
  ENOMEM: { reason: 'out of memory', hint: 'Close some programs.' },
  EAGAIN: { reason: 'too many processes', hint: 'Close some programs, or raise the limit (ulimit -u).' },
};

export const SYSTEM_FAULT = 'SYSTEM';

/** A folder that people can choose, and how. */
export interface Choosable {
  readonly folder: string;
  readonly choose: string;
}

/** Null for an error that is not the system's. `resume`: the command that continues once the fault is gone. */
export function systemFault(
  error: unknown,
  { resume, choosable = [] }: { readonly resume?: string; readonly choosable?: readonly Choosable[] } = {},
): RalphError | null {
  const known = factsOf(error);
  if (known === null) return null;
  const { kind, what, path } = known;
  const isAround = (outer: string, inner: string): boolean => inner === outer || inner.startsWith(`${outer}/`);
  const place = choosable.find(({ folder }) => path !== null && (isAround(folder, path) || isAround(path, folder)));
  const elsewhere = kind.isOfPlace && place ? `${kind.hint.slice(0, -1)}, or ${place.choose}.` : kind.hint;
  const hint = resume === undefined ? elsewhere : `${elsewhere} Then run: ${resume}`;
  return new RalphError(SYSTEM_FAULT, `${what}: ${kind.reason}`, { hint });
}

/** In one line, for callers that put it into a sentence of their own. */
export function faultMessage(error: unknown): string {
  return systemFault(error)?.message ?? (error instanceof Error ? error.message : String(error));
}

/** The reason alone, for callers that name the file themselves. */
export function reasonOf(error: unknown): string {
  return factsOf(error)?.kind.reason ?? (error instanceof Error ? error.message : String(error));
}

/** Adds the path to errors of `act`: Node does not name a file that is already open. */
export function naming<Gives>(path: string, act: () => Gives): Gives {
  try {
    return act();
  } catch (error) {
    throw named(error, path);
  }
}

export function named(error: unknown, path: string): unknown {
  if (error instanceof Error && 'syscall' in error && !('path' in error)) Object.assign(error, { path });
  return error;
}

function factsOf(error: unknown): { kind: Kind; what: string; path: string | null } | null {
  const code = errnoOf(error) ?? '';
  const kind = KINDS[code];
  if (kind === undefined || !(error instanceof Error) || !('syscall' in error)) return null;
  const syscall = String(error.syscall);
  const isMissing = code === 'ENOENT';
  if (syscall === 'uv_cwd') {
    const gone = { reason: 'it no longer exists', hint: 'Change to a directory that does.' };
    return { kind: isMissing ? gone : kind, what: 'cannot work in the current directory', path: null };
  }
  const path = pathOf(error);
  if (syscall.startsWith('spawn')) {
    const missing = { reason: 'not found', hint: 'Install it, or put it on the PATH.' };
    const what = `cannot start ${path ?? syscall.slice('spawn '.length)}`;
    return { kind: isMissing ? missing : kind, what, path: null };
  }
  // Without a path there is nothing that a person could do about it.
  if (path === null && isMissing) return null;
  return { kind, what: path === null ? 'cannot go on' : `cannot ${verbOf(syscall, code)} ${path}`, path };
}

/** For a rename, the new name matters: the old one is a file of ours. */
function pathOf(error: Error): string | null {
  const { dest, path } = error as { dest?: unknown; path?: unknown };
  if (typeof dest === 'string') return dest;
  return typeof path === 'string' ? path : null;
}

const READING = ['read', 'scandir', 'opendir', 'stat', 'lstat', 'fstat', 'access', 'readlink', 'realpath'];
const ONLY_WRITING = ['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'];

function verbOf(syscall: string, code: string): string {
  if (ONLY_WRITING.includes(code)) return 'write';
  if (READING.includes(syscall)) return 'read';
  return syscall === 'open' ? 'open' : 'write';
}
