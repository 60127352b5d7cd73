/** A clean checkout: the files of one tree in a new folder with its own git directory, and no other files. */
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolders, nullOn, realPath, writeFile } from '../process/files.ts';
import { callGit, withoutGitVariables } from '../scm/snapshots/store.ts';
import type { ProofTrees, TreeFile } from './trees.ts';

export interface Checkout {
  /** Removed with everything in it. */
  readonly folder: string;
  /** The work tree in `folder`, with the same name as in the project. */
  readonly root: string;
  /** The folder for test reports. */
  readonly reports: string;
  remove(): void;
}

export interface CheckoutOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** The folder of all checkouts, and the prefix of this one's name. */
  readonly place: string;
  readonly name: string;
}

/** The wanted content of each file; null for a file that must not exist. */
export type PutFiles = ReadonlyMap<string, TreeFile | null>;

/** Snapshots hold files byte by byte: the conversions of `.gitattributes` were already applied. */
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
    // In a folder of its own: a project can have any name.
    const root = join(folder, 'tree', basename(trees.root) || 'project');
    const [gitFolder, reports] = [join(root, '.git'), join(folder, 'reports')];
    mkdirSync(reports, { mode: 0o700 });
    const own = { env: gitEnvironment(env), cwd: folder, signal };
    const format = `--object-format=${trees.objectFormat}`;
    await callGit(['init', '--quiet', '--template=', '--initial-branch=proof', format, root], own);
    // Must come first: the parents of the commit are not copied, and would be reported as missing.
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

/** Programs leave read-only folders, such as Go's module cache. What cannot be removed is left. */
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

/** Writes files that differ from those of the checkout's tree. */
export function putFiles(root: string, files: PutFiles): void {
  for (const [path, file] of files) {
    const target = join(root, path);
    // The target, or part of its path, may have become a folder or a link.
    refuseLinks(root, dirname(path));
    rmSync(target, { recursive: true, force: true });
    if (file === null) continue;
    makeFolders(dirname(target));
    writeFile(target, file.content);
    chmodSync(target, file.isExecutable ? 0o755 : 0o644);
  }
}

/** Removes links on the way: through a link, we would write somewhere else. */
function refuseLinks(root: string, folder: string): void {
  const parts = folder === '.' ? [] : folder.split('/');
  parts.reduce((above, name) => {
    const path = join(above, name);
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there !== undefined && !there.isDirectory()) rmSync(path, { force: true });
    return path;
  }, root);
}

/** Without the user's git settings: their hooks, filters and signatures do not belong to the project. */
function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...withoutGitVariables(env),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
  };
}
