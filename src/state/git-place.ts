/** Where a work tree's repository lies. Found without git: it may be an agent's doing, and decides what git may do. */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readPlain } from '../process/files.ts';

export interface GitPlace {
  /** `.git` where the work tree begins: a folder, or a worktree's file. */
  readonly entry: string;
  readonly gitFolder: string;
  /** The same, except in a worktree. */
  readonly commonFolder: string;
}

/** Where git itself would look. */
export function findGit(workspace: string): GitPlace | null {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const stat = statSync(entry, { throwIfNoEntry: false });
    if (stat !== undefined) return gitPlace(entry, stat.isDirectory());
    if (folder === dirname(folder)) return null;
  }
}

/** An agent was in the work tree before: a place elsewhere is believed only if it names this one, a link never. */
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

/** The file that makes git go on to another repository, where no git puts it: in one that has its own. Null for none. */
export function plantedCommondir(workspace: string): string | null {
  const git = findGit(workspace);
  if (git === null) return null;
  const { entry, gitFolder, commonFolder } = git;
  const file = join(entry === gitFolder ? entry : commonFolder, 'commondir');
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? null : file;
}

/** The repositories of submodules, and of theirs; a submodule's name may have slashes in it. */
export function submoduleFolders({ gitFolder, commonFolder }: GitPlace): string[] {
  return [...new Set([gitFolder, commonFolder])].flatMap((folder) => repositoriesIn(join(folder, 'modules')));
}

/** Where a submodule is checked out, the file that leads git to its repository; null where none is. */
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

/** Links are not followed: they could lead in a circle. */
function foldersIn(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Without git, which would run whatever a repository's settings name. Null where there is no commit yet. */
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
