/** A commit of the harness's own: of the files that it wrote itself, and of nothing else. */
import { isAbsolute, relative } from 'node:path';
import { type GitLook, headCommit } from '../../../scm/git.ts';
import type { WorkTree } from './work-tree.ts';

export interface OwnCommit {
  readonly tree: WorkTree;
  readonly message: string;
  /** As seen from the work tree's folder. */
  readonly paths: readonly string[];
}

export interface Committed {
  readonly commit: string | null;
  readonly problem: string | null;
}

const NOTHING: Committed = { commit: null, problem: null };

export async function ownCommit({ tree, message, paths }: OwnCommit): Promise<Committed> {
  if (paths.length === 0) return NOTHING;
  const { git } = tree;
  // A path that is gone is staged as gone.
  const staged = await git(['add', '--all', '--', ...paths]);
  if (!staged.ok) return { commit: null, problem: firstLine(staged.stderr) };
  const changes = await git(['status', '--porcelain', '--', ...paths]);
  if (changes.ok && changes.stdout === '') return NOTHING;
  // The project's own hooks judge code; this is none, and an agent may have written them.
  const commit = [
    '-c',
    'core.hooksPath=/dev/null',
    'commit',
    '--quiet',
    '--no-verify',
    '--no-gpg-sign',
    '--only',
    '-m',
    message,
    '--',
    ...paths,
  ];
  const made = await git([...(await identity(git)), ...commit]);
  if (!made.ok) return { commit: null, problem: firstLine(made.stderr) || firstLine(made.stdout) };
  const head = await headCommit(git);
  await tree.settle();
  return { commit: head, problem: null };
}

/** Those of the paths that git knows, or knew at `head`: others were never anybody's to commit. */
export async function trackedAmong(
  paths: readonly string[],
  head: string | null,
  { cwd, git }: WorkTree,
): Promise<string[]> {
  const isTracked = async (path: string): Promise<boolean> => {
    // One at a time, and as seen from here: git refuses a question that names a path outside of the repository.
    const here = isAbsolute(path) ? relative(cwd, path) : path;
    const now = await git(['ls-files', '--', here]);
    if (now.ok && now.stdout !== '') return true;
    const then = head === null ? null : await git(['ls-tree', '-r', '--name-only', head, '--', here]);
    return then?.ok === true && then.stdout !== '';
  };
  const tracked: string[] = [];
  for (const path of paths) if (await isTracked(path)) tracked.push(path);
  return tracked;
}

/** Who has told git no name must not lose the commit by it. */
async function identity(git: GitLook): Promise<string[]> {
  const known = await git(['var', 'GIT_COMMITTER_IDENT']);
  return known.ok ? [] : ['-c', 'user.name=Ralph Loop', '-c', 'user.email=ralph@localhost'];
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
