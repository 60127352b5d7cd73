/** Which files of a work tree a snapshot contains: tracked and unignored ones, also those of nested repositories. */
import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LeftOut } from '../../core/record.ts';
import { ifThere, nullOn, readPlain } from '../../process/files.ts';
import { findGit, type GitPlace } from '../../state/git-place.ts';
import { callGit, type SnapshotStore, storeEnvironment } from './store.ts';

/** A path from the root, one character for each of its bytes: a file's name need not be UTF-8. */
export type BytePath = string;
export type WhyLeftOut = LeftOut['files'][number]['why'];

export interface ListedFiles {
  readonly files: ReadonlyMap<BytePath, Stats>;
  readonly leftOut: Map<BytePath, WhyLeftOut>;
}

export interface ListOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The user's ignore file for all repositories; it need not exist. */
  readonly excludesFile: string;
  /** A folder to skip: the state of the loops themselves, if that is in the work tree. */
  readonly except: string;
  readonly signal: AbortSignal;
}

export const LARGEST_FILE = 10 * 1024 * 1024;
/** Paths that lead elsewhere, or into a repository. */
const NO_PATH = /(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i;
const ASCII = /^[ -~]*$/;
/** How many files to look at before other events get their turn. */
const AT_ONCE = 500;

export async function listFiles(store: SnapshotStore, options: ListOptions): Promise<ListedFiles> {
  const { root } = store;
  const files = new Map<BytePath, Stats>();
  const leftOut = new Map<BytePath, WhyLeftOut>();
  const isInPlace = folderCheck(root);
  const except = bytePath(`${relative(root, options.except)}/`);
  const places: Place[] = [{ repository: '' }];
  let looked = 0;
  for (const place of places) {
    const { repository } = place;
    for (const listed of await pathsIn(store, place, options)) {
      if (++looked % AT_ONCE === 0) await nextTurn();
      options.signal.throwIfAborted();
      const path = repository + listed.replace(/\/$/, '');
      if (NO_PATH.test(path) || path.startsWith(except) || !isInPlace(path)) continue;
      const stat = statOf(root, path);
      if (stat === null) continue;
      if (stat.isDirectory())
        places.push(isRepository(root, listed, path) ? { repository: `${path}/` } : { repository, only: listed });
      else if (!stat.isFile() && !stat.isSymbolicLink()) leftOut.set(path, 'not a file');
      else if (stat.size > LARGEST_FILE) leftOut.set(path, 'too large');
      else files.set(path, stat);
    }
  }
  return { files, leftOut };
}

/** The path for the file system; bytes only if necessary, since strings are faster. */
export function placeOf(root: string, path: BytePath): string | Buffer {
  if (ASCII.test(path)) return `${root}/${path}`;
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

function statOf(root: string, path: BytePath): Stats | null {
  return nullOn(['ENOENT', 'ENOTDIR', 'EACCES'], () => lstatSync(placeOf(root, path)));
}

function bytePath(text: string): BytePath {
  return Buffer.from(text).toString('latin1');
}

export function textOf(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** What is listed in one go, by the ignore rules of one repository. */
interface Place {
  readonly repository: BytePath;
  /** Only this folder of it, as if nothing in it were tracked. */
  readonly only?: BytePath;
}

/**
 * Git lists a nested repository as one path, with a slash at its end if it is not tracked. Without the slash, the path
 * is in the index: as a submodule; or as a file, or a submodule without its `.git`, where there is now an ordinary
 * folder.
 */
function isRepository(root: string, listed: BytePath, path: BytePath): boolean {
  if (listed.endsWith('/')) return true;
  const own = ownGit(join(root, textOf(path)));
  return own !== null && existsSync(join(own.gitFolder, 'HEAD'));
}

function ownGit(folder: string): GitPlace | null {
  const git = ifThere(() => findGit(folder));
  return git?.entry === join(folder, '.git') ? git : null;
}

/** The result cannot be trusted: a repository's index may have been written by the agent. */
async function pathsIn(
  store: SnapshotStore,
  { repository, only }: Place,
  options: ListOptions,
): Promise<Set<BytePath>> {
  const { env, signal, excludesFile } = options;
  const folder = join(store.root, textOf(repository));
  const own = ownGit(folder);
  const ownExclude = own === null ? [] : [join(own.commonFolder, 'info', 'exclude')];
  const excludes = [excludesFile, ...ownExclude].filter((file) => readPlain(file) !== null);
  const args = ['-z', '--cached', '--others', '--exclude-per-directory=.gitignore'];
  const paths = only === undefined ? [] : ['--', `:(literal)${textOf(only)}`];
  const ask = (index: string): Promise<Buffer> =>
    callGit(['ls-files', ...args, ...excludes.map((file) => `--exclude-from=${file}`), ...paths], {
      env: { ...storeEnvironment(store, env), GIT_WORK_TREE: folder, GIT_INDEX_FILE: index },
      cwd: folder,
      signal,
    });
  const none = join(store.gitFolder, 'no-index');
  // If git cannot read the index from here (it is split, or damaged), it is left out: it only says which ignored files
  // are tracked.
  const ownIndex = own === null || only !== undefined ? none : join(own.gitFolder, 'index');
  // With a pipe, git would wait for a writer.
  const index = nullOn(['ELOOP', 'EACCES'], () => statSync(ownIndex, { throwIfNoEntry: false }))?.isFile()
    ? ownIndex
    : none;
  const listed = await ask(index).catch((error: unknown) => {
    if (index === none || signal.aborted) throw error;
    return ask(none);
  });
  return new Set(listed.toString('latin1').split('\0').filter(Boolean));
}

/** Is every folder on the way a folder, and not a link that leads out? Each one is checked once. */
function folderCheck(root: string): (path: BytePath) => boolean {
  const known = new Map<BytePath, boolean>();
  return function isInPlace(path): boolean {
    const end = path.lastIndexOf('/');
    if (end < 0) return true;
    const folder = path.slice(0, end);
    const before = known.get(folder);
    if (before !== undefined) return before;
    const isFolder = statOf(root, folder)?.isDirectory() === true && isInPlace(folder);
    known.set(folder, isFolder);
    return isFolder;
  };
}
