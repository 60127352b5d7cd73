/** Works in a folder that an agent could replace between a check and its use: through handles that followed no link. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, parse, relative, sep } from 'node:path';
import { errnoOf, RalphError } from '../core/error.ts';
import { naming } from '../core/system-fault.ts';
import { nullOn } from '../process/files.ts';

const { O_APPEND, O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
/** Linux's O_PATH, which Node does not define: a folder that may be entered need not be readable. */
const O_PATH = 0o10000000;
/** How often an entry may change its type while we work on it. */
const TRIES = 10;

export interface HeldOptions {
  readonly makes?: boolean;
  /** Below this folder, whatever is in the way is moved aside. */
  readonly clearsBelow?: string;
}

/** Calls `use` with a path that leads to exactly this folder during the call. `path` is absolute and without links. */
export function inHeldFolder<Gives>(path: string, options: HeldOptions, use: (held: string) => Gives): Gives {
  const { root } = parse(path);
  let handle = openFolder(root);
  let here = root;
  try {
    for (const name of relative(root, path).split(sep).filter(Boolean)) {
      const next = enter(held(handle, here), name, { path: join(here, name), ...options });
      closeSync(handle);
      handle = next;
      here = join(here, name);
    }
    return use(held(handle, here));
  } catch (error) {
    throw byPath(error, here);
  } finally {
    closeSync(handle);
  }
}

export function appendPlain(path: string, text: string, options: HeldOptions = {}): void {
  inHeldFolder(dirname(path), options, (folder) => {
    const file = openSync(join(folder, basename(path)), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
    try {
      const stat = fstatSync(file);
      // A hard link may be a file anywhere else.
      if (!stat.isFile() || stat.nlink > 1) throw inTheWay(path);
      naming(path, () => writeSync(file, text));
    } finally {
      closeSync(file);
    }
  });
}

/**
 * A folder that is not empty is renamed in its parent, not deleted entry by entry: if it had become a link, the
 * deletion would happen elsewhere, and `rmSync` can do that even for a single file.
 */
export function removeEntry(path: string): void {
  for (let tries = 1; ; tries++) {
    try {
      if (!isRemoved(path)) renameSync(path, join(dirname(path), `.${basename(path)}.${randomUUID()}.put-aside`));
      return;
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'ENOENT') return;
      if (code !== 'ENOTDIR' || tries === TRIES) throw error;
    }
  }
}

/** False for a folder that is not empty. */
function isRemoved(path: string): boolean {
  // For a folder, Linux reports the first and macOS the second.
  const isFile = nullOn(['EISDIR', 'EPERM'], () => unlinkSync(path)) !== null;
  return isFile || nullOn(['ENOTEMPTY', 'EEXIST'], () => rmdirSync(path)) !== null;
}

function enter(folder: string, name: string, { path, makes, clearsBelow }: HeldOptions & { path: string }): number {
  const isBelow = clearsBelow !== undefined && path.startsWith(`${clearsBelow}${sep}`);
  for (let tries = 1; ; tries++) {
    try {
      return openFolder(join(folder, name));
    } catch (error) {
      const code = errnoOf(error) ?? '';
      const isMissing = code === 'ENOENT';
      const isOther = code === 'ENOTDIR' || code === 'ELOOP';
      if (isOther && (!isBelow || tries === TRIES)) throw inTheWay(path);
      if ((!isMissing && !isOther) || (isMissing && makes !== true) || tries === TRIES) throw error;
      if (isOther) removeEntry(join(folder, name));
    }
    nullOn(['EEXIST'], () => mkdirSync(join(folder, name)));
  }
}

function openFolder(path: string): number {
  return openSync(path, (process.platform === 'linux' ? O_PATH : O_RDONLY) | O_DIRECTORY | O_NOFOLLOW);
}

/** Only on Linux is a handle also a path; elsewhere, the folders are checked one by one, right before the use. */
function held(handle: number, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${handle}` : path;
}

/** Replaces a handle's path in errors by the real one. */
function byPath(error: unknown, folder: string): unknown {
  if (!(error instanceof Error)) return error;
  const { path, dest } = error as { path?: unknown; dest?: unknown };
  const real = (text: string): string => text.replaceAll(/\/proc\/self\/fd\/\d+/g, folder);
  if (typeof path === 'string') Object.assign(error, { path: real(path), message: real(error.message) });
  if (typeof dest === 'string') Object.assign(error, { dest: real(dest) });
  return error;
}

function inTheWay(path: string): RalphError {
  const hint = 'Remove it, or put a plain file or folder in its place.';
  return new RalphError('LINKED', `${path} leads elsewhere: nothing is written there`, { hint });
}
