/** A clean checkout: the files of one tree in a new folder, with a git directory of its own, and nothing else of the project. */
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolders, nullOn, realPath, writeFile } from '../process/files.ts';
import { callGit, withoutGitVariables } from '../scm/snapshots/store.ts';
import type { ProofTrees, TreeFile } from './trees.ts';

export interface Checkout {
  /** Gone with everything in it when the checkout is removed. */
  readonly folder: string;
  /** The work tree in it, under the name that it has in the project. */
  readonly root: string;
  /** For what programs report. */
  readonly reports: string;
  remove(): void;
}

export interface CheckoutOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** The folder of all checkouts, and how the name of this one begins. */
  readonly place: string;
  readonly name: string;
}

/** What a file is to hold; null for one that is not to be there. */
export type PutFiles = ReadonlyMap<string, TreeFile | null>;

/** Snapshots hold files byte by byte; what `.gitattributes` says of them has been done before. */
const AS_THEY_ARE = '* -text -eol -ident -filter -working-tree-encoding\n';

export async function checkOut(
  trees: ProofTrees,
  { at, isSnapshot }: { readonly at: string; readonly isSnapshot: boolean },
  { env, signal, place, name }: CheckoutOptions,
): Promise<Checkout> {
  makeFolders(place, 0o700);
  const folder = realPath(mkdtempSync(join(place, `${name}-`)));
  const remove = (): void => removeFolder(folder);
  try {
    // Beside nothing of ours: a project can have any name.
    const root = join(folder, 'tree', basename(trees.root) || 'project');
    const [gitFolder, reports] = [join(root, '.git'), join(folder, 'reports')];
    mkdirSync(reports, { mode: 0o700 });
    const own = { env: gitEnvironment(env), cwd: folder, signal };
    const format = `--object-format=${trees.objectFormat}`;
    await callGit(['init', '--quiet', '--template=', '--initial-branch=proof', format, root], own);
    // First: what a commit came from does not come along, and would be missed.
    writeFile(join(gitFolder, 'shallow'), `${at}\n`);
    await trees.copyTo(at, gitFolder);
    if (isSnapshot) {
      makeFolders(join(gitFolder, 'info'));
      writeFile(join(gitFolder, 'info/attributes'), AS_THEY_ARE);
    }
    await callGit(['-c', 'advice.detachedHead=false', 'checkout', '--quiet', '--detach', at], { ...own, cwd: root });
    return { folder, root, reports, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Programs leave folders that may not be written, such as Go's module cache. What cannot be removed is left. */
export function removeFolder(folder: string): void {
  const removed = (): boolean =>
    nullOn(['EACCES', 'EPERM', 'ENOTEMPTY', 'EBUSY'], () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      return true;
    }) === true;
  if (removed()) return;
  spawnSync('chmod', ['-R', 'u+rwX', folder], { stdio: 'ignore' });
  removed();
}

/** Puts files into it that are not those of its tree. */
export function putFiles(root: string, files: PutFiles): void {
  for (const [path, file] of files) {
    const target = join(root, path);
    // What lies there may be a folder or a link by now, also on the way to it.
    refuseLinks(root, dirname(path));
    rmSync(target, { recursive: true, force: true });
    if (file === null) continue;
    makeFolders(dirname(target));
    writeFile(target, file.content);
    chmodSync(target, file.isExecutable ? 0o755 : 0o644);
  }
}

/** A link in the tree would have us write somewhere else: a folder takes its place. */
function refuseLinks(root: string, folder: string): void {
  const parts = folder === '.' ? [] : folder.split('/');
  parts.reduce((above, name) => {
    const path = join(above, name);
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there !== undefined && !there.isDirectory()) rmSync(path, { force: true });
    return path;
  }, root);
}

/** Without the user's settings: no hook, filter or signature of theirs belongs to the project. */
function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...withoutGitVariables(env),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
  };
}
