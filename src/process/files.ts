/** Files and folders: errors name the path, and nothing here blocks on a pipe or waits forever. */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { errnoOf, RalphError } from '../core/error.ts';
import { naming, reasonOf } from '../core/system-fault.ts';
import { parsedJson } from '../core/text/json.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
/** Non-blocking: a pipe without a reader is refused at once. */
const MAKES = O_WRONLY | O_CREAT | O_NONBLOCK;
/** Named as in Node: `wx` fails if the file exists, `a` appends. */
const FLAGS = { w: MAKES | O_TRUNC, wx: MAKES | O_EXCL, a: MAKES | O_APPEND } as const;

type Writing = { readonly mode?: number; readonly flag?: keyof typeof FLAGS };

export function writeFile(path: string, content: string | Uint8Array, how: Writing = {}): void {
  const { mode = 0o666, flag = 'w' } = how;
  naming(path, () => writeFileSync(path, content, { mode, flag: FLAGS[flag] as unknown as string }));
}

/** The caller closes it. */
export function openForWriting(path: string, mode: number): number {
  return openSync(path, FLAGS.w, mode);
}

/** Returns the folders that it created, outermost first. (Node's `recursive` never ends in places like /proc.) */
export function makeFolders(path: string, mode = 0o777): string[] {
  const made = madeFolder(path, mode);
  if (made !== null) return made;
  const around = makeFolders(dirname(path), mode);
  const again = madeFolder(path, mode);
  if (again === null) mkdirSync(path, { mode });
  return [...around, ...(again ?? [path])];
}

/** Null if the parent folder is missing. */
function madeFolder(path: string, mode: number): string[] | null {
  try {
    mkdirSync(path, { mode });
    return [path];
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && dirname(path) !== path) return null;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return [];
    throw error;
  }
}

/** An agent's work folder may have been removed; starting a program there would report the program as missing. */
export function whyNoFolder(path: string): { readonly reason: string; readonly hint: string } | null {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return null;
  return { reason: `cannot work in ${path}: there is no such directory`, hint: 'Create it again.' };
}

const LARGEST = 16 * 1024 * 1024;
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'];

/** Null if the file or folder does not exist. A file in place of a folder on the way is an error. */
export function ifThere<T>(act: () => T): T | null {
  return nullOn(['ENOENT'], act);
}

/** Null if the system refuses with one of these codes. */
export function nullOn<T>(codes: readonly string[], act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (codes.includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/** Changes whenever the file or its permissions do. Null if the file cannot be seen. */
export function fileStamp(path: string): string | null {
  const stat = nullOn(UNREADABLE, () => statSync(path, { throwIfNoEntry: false }));
  return stat == null ? null : `${stat.dev} ${stat.ino} ${stat.size} ${stat.ctimeMs}`;
}

/** A file of our own that is only ever replaced as a whole; null if it is missing, or was cut off by a power cut. */
export function readOwnJson(path: string): unknown {
  return parsedJson(ifThere(() => readFileSync(path, 'utf8')) ?? '') ?? null;
}

/** Follows links. Throws for anything but a plain file, with an error that names the path. */
export function readPlainText(path: string, largest = LARGEST): string {
  return contentOf(openPlain(path), path, largest).toString('utf8');
}

/** The caller closes it. */
export function openPlain(path: string | Buffer, flags = 0): number {
  // A socket, or a device without a driver, cannot even be opened.
  const fd = nullOn(['ENXIO', 'ENODEV'], () => openSync(path, O_RDONLY | O_NONBLOCK | flags));
  const stat = fd === null ? null : fstatSync(fd);
  if (fd !== null && stat?.isFile() === true) return fd;
  if (fd !== null) closeSync(fd);
  let kind = '';
  if (stat?.isDirectory() === true) kind = ' but a directory';
  if (stat?.isFIFO() === true) kind = ' but a named pipe';
  const hint = 'Move it out of the way.';
  throw new RalphError('PLAIN_FILE', `${String(path)} is not a plain file${kind}`, { hint });
}

/** Closes the file. */
export function contentOf(fd: number, path: string, largest: number): Buffer {
  return closing(fd, () => {
    if (fstatSync(fd).size > largest) throw new RalphError('PLAIN_FILE', `${path} is too large`);
    return naming(path, () => readFileSync(fd));
  });
}

/** Returns fewer bytes at the end of the file. */
export function bytesAt(fd: number, path: string, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const read = naming(path, () => readSync(fd, bytes, 0, length, from));
  return bytes.subarray(0, read);
}

const SHORT = 2048;

/** For short files of the kernel, which show no size: `readFileSync` would take 64 KB of memory for each. */
export function readShort(path: string, room = Buffer.allocUnsafe(SHORT)): string {
  return closing(openSync(path, 'r'), (fd) => room.toString('latin1', 0, readSync(fd, room)));
}

/** Closes the file after use, whatever happens. */
export function closing<Gives>(fd: number, use: (fd: number) => Gives): Gives {
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** Null if there is no such file. */
export function plainTextIfThere(path: string): string | null {
  return nullOn(['ENOENT', 'ENOTDIR'], () => readPlainText(path));
}

/** For files that an agent may have replaced by anything: null if it is not a plain file; links are not followed. */
export function readPlain(path: string): string | null {
  return readPlainBytes(path)?.toString('utf8') ?? null;
}

/** Why `readPlain` returned null, for a person. */
export function whyUnread(path: string): string {
  try {
    closeSync(openPlain(path, O_NOFOLLOW));
    return 'it is too large';
  } catch (error) {
    if (error instanceof RalphError) return `it${error.message.slice(path.length)}`;
    return errnoOf(error) === 'ELOOP' ? 'it is a symbolic link, which is not followed' : reasonOf(error);
  }
}

/** Like `readPlain`, as bytes. A path that is not UTF-8 is passed as bytes. */
export function readPlainBytes(path: string | Buffer, largest = LARGEST): Buffer | null {
  try {
    return nullOn(UNREADABLE, () => contentOf(openPlain(path, O_NOFOLLOW), String(path), largest));
  } catch (error) {
    if (error instanceof RalphError) return null;
    throw error;
  }
}

/**
 * Where a path leads, with links followed. Asks the system: on a Mac, two spellings can be the same folder, which Node
 * alone does not know.
 */
export function realPath(path: string): string {
  return realpathSync.native(path);
}

/** Like `realPath`, for the folder that a loop works in. */
export function realWorkFolder(path: string): string {
  try {
    return realPath(path);
  } catch (error) {
    const hint = 'Change to a directory that exists, or create it again.';
    throw new RalphError('WORK_TREE', `cannot work in ${path}: ${reasonOf(error)}`, { hint });
  }
}

/** Where a path leads, with links followed; `otherwise` if that cannot be determined. */
export function realPathOr(path: string, otherwise = path): string {
  try {
    return realPath(path);
  } catch {
    return otherwise;
  }
}

/** Where a path leads, even if nothing exists at its end: links are followed in the part that exists. */
export function realPathSoFar(path: string): string {
  const real = nullOn(UNREADABLE, () => realPath(path));
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(realPathSoFar(dirname(path)), basename(path));
}

/** Like `realPathSoFar`, with the links on the way, each by its real path. */
export function followLinks(path: string): { readonly leadsTo: string; readonly links: readonly string[] } {
  const links: string[] = [];
  const steps = path.split('/');
  let leadsTo = '/';
  for (let step = steps.shift(); step !== undefined && links.length < MOST_LINKS; step = steps.shift()) {
    const here = join(leadsTo, step);
    const target = nullOn([...UNREADABLE, 'EINVAL'], () => readlinkSync(here));
    if (target === null) leadsTo = here;
    else {
      links.push(here);
      if (isAbsolute(target)) leadsTo = '/';
      steps.unshift(...target.split('/'));
    }
  }
  return { leadsTo, links };
}

/** The kernel's own limit. */
const MOST_LINKS = 40;
