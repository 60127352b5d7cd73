/** Works, by open handles that followed no link, in a folder that an agent may exchange between a look and its use. */
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
/** Linux's own, which Node does not name: a folder that may be entered need not be readable. */
const O_PATH = 0o10000000;
/** So often something may become something else while we look. */
const TRIES = 10;

export interface HeldOptions {
  readonly makes?: boolean;
  /** Below this folder whatever else stands in the way is moved out of it. */
  readonly clearsBelow?: string;
}

/** `use` gets a path that leads into this very folder for as long as it runs. The path is absolute and has no links. */
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
      // A second name of it may lie anywhere.
      if (!stat.isFile() || stat.nlink > 1) throw inTheWay(path);
      naming(path, () => writeSync(file, text));
    } finally {
      closeSync(file);
    }
  });
}

/**
 * A folder that is not empty is moved aside, beside where it was, and not gone through: one that has become a link would
 * lead a removal elsewhere, and `rmSync` may do that even for one file.
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
  // Of a folder: Linux says the first, macOS the second.
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

/** Elsewhere than on Linux a handle is no path: there the folders are looked at one by one, right before the use. */
function held(handle: number, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${handle}` : path;
}

/** A handle says nothing to a person. */
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
