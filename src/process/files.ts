/** Files and folders whose trouble is told with their path; nothing here waits for a pipe, or for ever. */
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
/** A pipe without a reader is refused at once. */
const MAKES = O_WRONLY | O_CREAT | O_NONBLOCK;
/** As node names them: `wx` refuses what is there, `a` adds to it. */
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

/** Gives back those that were not there, outermost first. (Node's `recursive` tries for ever in places like /proc.) */
export function makeFolders(path: string, mode = 0o777): string[] {
  const made = madeFolder(path, mode);
  if (made !== null) return made;
  const around = makeFolders(dirname(path), mode);
  const again = madeFolder(path, mode);
  if (again === null) mkdirSync(path, { mode });
  return [...around, ...(again ?? [path])];
}

/** Null when the folder around it is missing. */
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

/** Where agents work may be removed meanwhile: a program that is started there would be told as missing itself. */
export function whyNoFolder(path: string): { readonly reason: string; readonly hint: string } | null {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return null;
  return { reason: `cannot work in ${path}: there is no such directory`, hint: 'Create it again.' };
}

const LARGEST = 16 * 1024 * 1024;
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'];

/** Null where the file or folder that is read is not there. A file in the place of a folder on the way is a fault. */
export function ifThere<T>(act: () => T): T | null {
  return nullOn(['ENOENT'], act);
}

/** Null where the system refuses it for one of these reasons. */
export function nullOn<T>(codes: readonly string[], act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (codes.includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/** The same as long as the file is: whatever changes it or its rights changes this. Null where none can be seen. */
export function fileStamp(path: string): string | null {
  const stat = nullOn(UNREADABLE, () => statSync(path, { throwIfNoEntry: false }));
  return stat == null ? null : `${stat.dev} ${stat.ino} ${stat.size} ${stat.ctimeMs}`;
}

/** A file of our own that is only ever replaced as a whole; null where it is not there, or was cut off by a power cut. */
export function readOwnJson(path: string): unknown {
  return parsedJson(ifThere(() => readFileSync(path, 'utf8')) ?? '') ?? null;
}

/** What a link leads to is read, too. Whatever stands in the way is thrown, and named by its path. */
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

/** Closes it. */
export function contentOf(fd: number, path: string, largest: number): Buffer {
  return closing(fd, () => {
    if (fstatSync(fd).size > largest) throw new RalphError('PLAIN_FILE', `${path} is too large`);
    return naming(path, () => readFileSync(fd));
  });
}

/** Fewer where the file ends. */
export function bytesAt(fd: number, path: string, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const read = naming(path, () => readSync(fd, bytes, 0, length, from));
  return bytes.subarray(0, read);
}

const SHORT = 2048;

/** Of a file of the kernel's that says little and no length: for such a one, `readFileSync` takes 64 KB of memory each time. */
export function readShort(path: string, room = Buffer.allocUnsafe(SHORT)): string {
  return closing(openSync(path, 'r'), (fd) => room.toString('latin1', 0, readSync(fd, room)));
}

/** Closes the file after its use, whatever comes of that. */
export function closing<Gives>(fd: number, use: (fd: number) => Gives): Gives {
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** Null where there is no such file. */
export function plainTextIfThere(path: string): string | null {
  return nullOn(['ENOENT', 'ENOTDIR'], () => readPlainText(path));
}

/** For files that an agent may have replaced by anything: null where no plain file can be read; a link is none. */
export function readPlain(path: string): string | null {
  return readPlainBytes(path)?.toString('utf8') ?? null;
}

/** Why that is null, for a person. */
export function whyUnread(path: string): string {
  try {
    closeSync(openPlain(path, O_NOFOLLOW));
    return 'it is too large';
  } catch (error) {
    if (error instanceof RalphError) return `it${error.message.slice(path.length)}`;
    return errnoOf(error) === 'ELOOP' ? 'it is a symbolic link, which is not followed' : reasonOf(error);
  }
}

/** The same, byte by byte. A path that is no UTF-8 comes as its bytes. */
export function readPlainBytes(path: string | Buffer, largest = LARGEST): Buffer | null {
  try {
    return nullOn(UNREADABLE, () => contentOf(openPlain(path, O_NOFOLLOW), String(path), largest));
  } catch (error) {
    if (error instanceof RalphError) return null;
    throw error;
  }
}

/**
 * Where a path leads, links followed. The system is asked: on a Mac two spellings of a folder are one, which Node by itself
 * does not know.
 */
export function realPath(path: string): string {
  return realpathSync.native(path);
}

/** The same for the folder that a loop is to work in. */
export function realWorkFolder(path: string): string {
  try {
    return realPath(path);
  } catch (error) {
    const hint = 'Change to a directory that exists, or create it again.';
    throw new RalphError('WORK_TREE', `cannot work in ${path}: ${reasonOf(error)}`, { hint });
  }
}

/** Where a path leads, links followed; `otherwise` where that cannot be found out. */
export function realPathOr(path: string, otherwise = path): string {
  try {
    return realPath(path);
  } catch {
    return otherwise;
  }
}

/** Where a path leads, whether or not there is something at its end: the links of as much of it as is there are followed. */
export function realPathSoFar(path: string): string {
  const real = nullOn(UNREADABLE, () => realPath(path));
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(realPathSoFar(dirname(path)), basename(path));
}

/** The same, with the links on the way, each by its real place. */
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
