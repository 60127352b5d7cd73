/** A commit of the harness's own: of the files that it wrote itself, and of nothing else. */
import { isAbsolute, relative } from 'node:path';
import { headCommit } from '../../../scm/git.ts';
import type { Committed } from '../step-payloads.ts';
import type { WorkTree } from './work-tree.ts';

const NOTHING: Committed = { commit: null, problem: null };

/** The project's own hooks judge code; this is none, and an agent may have written them. */
const COMMIT = ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '--no-verify', '--no-gpg-sign', '--only'];

/** The paths are as seen from the work tree's folder. */
export async function ownCommit(tree: WorkTree, message: string, paths: readonly string[]): Promise<Committed> {
  if (paths.length === 0) return NOTHING;
  const { git } = tree;
  // A path that is gone is staged as gone.
  const staged = await git(['add', '--all', '--', ...paths]);
  if (!staged.ok) return { commit: null, problem: firstLine(staged.stderr) };
  const changes = await git(['status', '--porcelain', '--', ...paths]);
  if (changes.ok && changes.stdout === '') return NOTHING;
  // A user who has told git no name must not lose the commit by it.
  const known = await git(['var', 'GIT_COMMITTER_IDENT']);
  const identity = known.ok ? [] : ['-c', 'user.name=Ralph Loop', '-c', 'user.email=ralph@localhost'];
  const made = await git([...identity, ...COMMIT, '-m', message, '--', ...paths]);
  if (!made.ok) return { commit: null, problem: firstLine(made.stderr) || firstLine(made.stdout) };
  const head = await headCommit(git);
  await tree.settle();
  return { commit: head, problem: null };
}

/** Those of the paths that git knows, or knew at `head`: others were never committed. */
export async function trackedAmong(paths: readonly string[], head: string | null, { cwd, git }: WorkTree) {
  const tracked: string[] = [];
  for (const path of paths) {
    // One at a time, and as seen from here: git refuses a question that names a path outside of the repository.
    const here = isAbsolute(path) ? relative(cwd, path) : path;
    const now = await git(['ls-files', '--', here]);
    const isHere = now.ok && now.stdout !== '';
    const then = isHere || head === null ? null : await git(['ls-tree', '-r', '--name-only', head, '--', here]);
    if (isHere || (then?.ok === true && then.stdout !== '')) tracked.push(path);
  }
  return tracked;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
