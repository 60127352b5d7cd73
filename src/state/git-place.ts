/** Finds a work tree's repository without git: an agent could have set it up, and it decides what git may do. */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readPlain } from '../process/files.ts';

export interface GitPlace {
  /** `.git` at the root of the work tree: a folder, or a worktree's file. */
  readonly entry: string;
  readonly gitFolder: string;
  /** The same as `gitFolder`, except in a worktree. */
  readonly commonFolder: string;
}

/** Searches where git itself would. */
export function findGit(workspace: string): GitPlace | null {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const stat = statSync(entry, { throwIfNoEntry: false });
    if (stat !== undefined) return gitPlace(entry, stat.isDirectory());
    if (folder === dirname(folder)) return null;
  }
}

/** Once an agent had access: trusts a repository elsewhere only if it names this work tree, and a link never. */
export function believedGit(workspace: string): GitPlace | null {
  const git = findGit(workspace);
  if (git === null) return null;
  const { entry, gitFolder, commonFolder } = git;
  if (gitFolder === entry) return lstatSync(entry).isDirectory() ? { entry, gitFolder, commonFolder: entry } : null;
  const isWorktree =
    textOf(join(gitFolder, 'gitdir')) === entry && resolve(gitFolder, '../..') === resolve(commonFolder);
  const isSubmodule = worktreeOf(gitFolder) === dirname(entry) && commonFolder === gitFolder;
  return isWorktree || isSubmodule ? git : null;
}

/** A `commondir` file that redirects git where git never puts one: in a complete repository. Null if there is none. */
export function plantedCommondir(workspace: string): string | null {
  const git = findGit(workspace);
  if (git === null) return null;
  const { entry, gitFolder, commonFolder } = git;
  const file = join(entry === gitFolder ? entry : commonFolder, 'commondir');
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? null : file;
}

/** The repositories of submodules, recursively; a submodule's name can contain slashes. */
export function submoduleFolders({ gitFolder, commonFolder }: GitPlace): string[] {
  return [...new Set([gitFolder, commonFolder])].flatMap((folder) => repositoriesIn(join(folder, 'modules')));
}

/** The `.git` file of a submodule's checkout, which leads git to this repository; null if there is none. */
export function submoduleEntry(repository: string): string | null {
  const worktree = worktreeOf(repository);
  const entry = worktree === null ? null : join(worktree, '.git');
  return entry !== null && lstatSync(entry, { throwIfNoEntry: false })?.isFile() === true ? entry : null;
}

function worktreeOf(repository: string): string | null {
  const [, worktree] = /^\s*worktree = (.+)$/m.exec(textOf(join(repository, 'config'))) ?? [];
  return worktree === undefined ? null : resolve(repository, worktree);
}

function repositoriesIn(folder: string): string[] {
  return foldersIn(folder).flatMap((path) =>
    existsSync(join(path, 'HEAD')) ? [path, ...repositoriesIn(join(path, 'modules'))] : repositoriesIn(path),
  );
}

/** Does not follow links: they could form a cycle. */
function foldersIn(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Without git, which would run whatever a repository's settings name. Null if there is no commit yet. */
export function commitIn(workspace: string): string | null {
  const git = findGit(workspace);
  if (git === null) return null;
  const { gitFolder, commonFolder } = git;
  const head = textOf(join(gitFolder, 'HEAD'));
  const [, ref] = /^ref: (refs\/\S+)$/.exec(head) ?? [];
  if (ref === undefined) return COMMIT.test(head) ? head : null;
  const loose = textOf(join(commonFolder, ref));
  if (COMMIT.test(loose)) return loose;
  const packed = textOf(join(commonFolder, 'packed-refs')).split('\n');
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? null;
}

function gitPlace(entry: string, isFolder: boolean): GitPlace | null {
  if (isFolder) return { entry, gitFolder: entry, commonFolder: commonOf(entry) };
  const pointed = /^gitdir: (.+)$/m.exec(textOf(entry))?.[1];
  if (pointed === undefined) return null;
  const gitFolder = resolve(dirname(entry), pointed);
  return { entry, gitFolder, commonFolder: commonOf(gitFolder) };
}

function commonOf(gitFolder: string): string {
  const named = textOf(join(gitFolder, 'commondir'));
  return named === '' ? gitFolder : resolve(gitFolder, named);
}

function textOf(path: string): string {
  return readPlain(path)?.trim() ?? '';
}
