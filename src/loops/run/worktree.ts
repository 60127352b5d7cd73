/** `--worktree`: creates the git worktree, beside the repository and on its own branch, that the loop works in. */
import { cpSync, existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { faultMessage } from '../../core/system-fault.ts';
import { realPath } from '../../process/files.ts';
import { type GitLook, gitIn } from '../../scm/git.ts';
import { findRepository, type MadeWorktree, makeWorktree, WorktreeError, worktreePath } from '../../scm/worktree.ts';
import { findGit } from '../../state/git-place.ts';

/** Where such a loop was started, and the branch that it works on. */
export type RunWorktree = {
  /** The settings and the prompt file are read from this directory. */
  readonly from: string;
  readonly branch: string;
};

export interface NewWorktree {
  /** The directory in the worktree that corresponds to the one where the loop was started. */
  readonly cwd: string;
  readonly made: MadeWorktree;
  /** Ignored files and folders that were not copied, as git names them. */
  readonly leftBehind: readonly string[];
}

/** Lists the ignored files to copy into a new worktree, in the format of `.gitignore`. */
export const INCLUDE_FILE = '.worktreeinclude';

/** Without `branch`, the branch is named after the task and `name`, which is unique to the loop. */
export async function newWorktree(
  from: string,
  { branch, task, name }: { readonly branch: string | null; readonly task: string; readonly name: string },
  env: NodeJS.ProcessEnv,
): Promise<NewWorktree> {
  const repository = await findRepository(from, env).catch(refused);
  if (repository === null) throw noRepository(from);
  const { root } = repository;
  const git = gitIn(root, env);
  if (!(await git(['rev-parse', '--verify', '--quiet', 'HEAD'])).ok) {
    throw new RalphError('NO_COMMIT', `--worktree needs a commit to start from, and ${root} has none`, {
      hint: 'Make a first commit, or leave out --worktree.',
    });
  }
  const own = `${slugOf(task)}-${name}`;
  const wanted = branch ?? `ralph/${own}`;
  await refuseBranch(wanted, git);
  const folder = branch === null ? own : slugOf(branch);
  const path = worktreePath(root, folder, undefined);
  if (existsSync(path)) {
    throw new RalphError('WORKTREE', `${path} already exists`, { hint: 'Remove it, or choose another --branch.' });
  }
  const made = await makeWorktree({ path, branch: wanted, baseRepo: root }, env).catch(refused);
  await bringIncluded(root, path, git);
  const cwd = join(realPath(path), relative(realPath(root), realPath(from)));
  return { cwd, made, leftBehind: await missing(path, git) };
}

/** As far as that can be known without running git. */
export function whyNoWorktree(from: string): RalphError | null {
  return findGit(from) === null ? noRepository(from) : null;
}

function noRepository(from: string): RalphError {
  return new RalphError('NO_REPOSITORY', `--worktree needs a git repository, and ${from} is in none`, {
    hint: 'Make it one (git init, and a first commit), or leave out --worktree.',
  });
}

async function refuseBranch(branch: string, git: GitLook): Promise<void> {
  const hint = 'Choose another name for --branch.';
  if (!(await git(['check-ref-format', '--branch', branch])).ok) {
    throw new RalphError('BRANCH', `"${branch}" is not a valid branch name`, { hint });
  }
  if ((await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).ok) {
    throw new RalphError('BRANCH', `the branch ${branch} already exists`, { hint });
  }
}

/** `--directory` lists ignored folders as a whole: the files in `node_modules/` need not be listed one by one. */
const UNTRACKED = ['ls-files', '-z', '--others', '--ignored', '--directory'] as const;

async function bringIncluded(root: string, path: string, git: GitLook): Promise<void> {
  if (!existsSync(join(root, INCLUDE_FILE))) return;
  const { stdout } = await git([...UNTRACKED, `--exclude-from=${INCLUDE_FILE}`]);
  for (const entry of stdout.split('\0').filter(Boolean)) {
    cpSync(join(root, entry), join(path, entry), { recursive: true, verbatimSymlinks: true, force: false });
  }
}

async function missing(path: string, git: GitLook): Promise<string[]> {
  const { ok, stdout } = await git([...UNTRACKED, '--exclude-standard']);
  const entries = ok ? stdout.split('\0').filter(Boolean) : [];
  return entries.filter((entry) => !entry.startsWith('.ralph/') && !existsSync(join(path, entry)));
}

/** Kept short because people type these names. */
const LONGEST_SLUG = 24;

/** `fix-the-failing-tests`: as many whole words as fit. */
function slugOf(text: string): string {
  const words =
    text
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join('-') ?? '';
  if (words.length <= LONGEST_SLUG) return words || 'run';
  const cut = words.slice(0, LONGEST_SLUG + 1);
  return cut.slice(0, Math.max(cut.lastIndexOf('-'), 0)) || cut.slice(0, LONGEST_SLUG);
}

function refused(error: unknown): never {
  if (!(error instanceof WorktreeError)) throw error;
  throw new RalphError('WORKTREE', `cannot create a worktree: ${faultMessage(error)}`, {
    hint: 'Look at: git worktree list',
  });
}
