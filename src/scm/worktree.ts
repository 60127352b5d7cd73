/** Git worktrees: created beside the repository, reused if they exist, not removed with work in them unless forced. */
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolders, realPath } from '../process/files.ts';
import { type Enclose, gitIn } from './git.ts';

export type Worktree = { readonly path: string; readonly branch: string; readonly baseRepo: string };
export type MadeWorktree = Worktree & { readonly isNew: boolean; readonly branchIsNew: boolean };

export class WorktreeError extends Error {}

/** The repository that contains this folder, or null. If an interrupted git left it marked as bare, it is repaired. */
export async function findRepository(cwd: string, env: NodeJS.ProcessEnv) {
  const git = gitIn(cwd, env);
  const topLevel = async (): Promise<string | null> => {
    const { ok, stdout } = await git(['rev-parse', '--show-toplevel']);
    return ok && stdout.trim() !== '' ? stdout.replace(/\n$/, '') : null;
  };
  const root = await topLevel();
  if (root !== null) return { root, wasRepaired: false };
  const folder = await git(['rev-parse', '--absolute-git-dir']);
  if (!folder.ok) return null;
  const bare = await git(['config', '--get', 'core.bare']);
  if (basename(folder.stdout.trim()) !== '.git' || bare.stdout.trim() !== 'true')
    throw new WorktreeError('the repository is bare: a worktree needs one with a work tree');
  await git(['config', 'core.bare', 'false']);
  const repaired = await topLevel();
  return repaired === null ? null : { root: repaired, wasRepaired: true };
}

export function worktreePath(root: string, name: string, parent: string | undefined): string {
  return join(parent === undefined ? join(dirname(root), `${basename(root)}-worktrees`) : resolve(parent), name);
}

export async function makeWorktree(wanted: Worktree, env: NodeJS.ProcessEnv): Promise<MadeWorktree> {
  const { path, branch, baseRepo } = wanted;
  const git = gitIn(baseRepo, env);
  if (await isWorktreeOf(wanted, env)) return { ...wanted, isNew: false, branchIsNew: false };
  const wasThere = existsSync(path);
  makeFolders(dirname(path));
  // A worktree whose folder was deleted is still in git's list.
  await git(['worktree', 'prune']);
  const branchIsNew = !(await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).ok;
  const made = await git(['worktree', 'add', ...(branchIsNew ? ['-b', branch, path] : [path, branch])]);
  if (made.ok && existsSync(path)) return { ...wanted, isNew: true, branchIsNew };
  if (!wasThere) rmSync(path, { recursive: true, force: true });
  await git(['worktree', 'prune']);
  if (branchIsNew) await git(['branch', '-d', branch]);
  throw new WorktreeError(lastLine(made.stderr) || `git made no worktree at ${path}`);
}

export async function unmakeWorktree(made: MadeWorktree, env: NodeJS.ProcessEnv): Promise<void> {
  if (!made.isNew) return;
  await removeWorktree(made, { force: true }, env);
  // Without force: a branch that has commits of its own by now stays.
  if (made.branchIsNew) await gitIn(made.baseRepo, env)(['branch', '-d', made.branch]);
}

/** Null if it is gone; otherwise why it stays. `enclose`: for a look at what a sandboxed agent has left there. */
export async function removeWorktree(
  { path, baseRepo }: Worktree,
  { force, enclose }: { readonly force: boolean; readonly enclose?: Enclose },
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  if (!existsSync(path)) return null;
  const reason = force ? null : await workInside(path, env, enclose);
  if (reason !== null) return reason;
  const { ok, stderr } = await gitIn(baseRepo, env)(['worktree', 'remove', '--force', path]);
  return ok ? null : lastLine(stderr);
}

/** What would be lost with the worktree, in a sentence; null if nothing. If git cannot tell, that counts as work. */
async function workInside(path: string, env: NodeJS.ProcessEnv, enclose?: Enclose): Promise<string | null> {
  const look = gitIn(path, env, enclose);
  const status = await look(['status', '--porcelain']);
  if (!status.ok) return lastLine(status.stderr) || 'git cannot tell whether it holds uncommitted work';
  const changes = status.stdout.split('\n').filter(Boolean).length;
  if (changes > 0) return `worktree has ${changes} uncommitted change(s)`;
  const onBranch = (await look(['symbolic-ref', '--quiet', 'HEAD'])).ok;
  if (onBranch) return null;
  const holders = await look(['for-each-ref', '--count=1', '--contains', 'HEAD']);
  return holders.ok && holders.stdout.trim() !== '' ? null : 'worktree has commits that no branch holds';
}

async function isWorktreeOf({ path, branch, baseRepo }: Worktree, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!existsSync(path)) return false;
  const { stdout } = await gitIn(baseRepo, env)(['worktree', 'list', '--porcelain', '-z']);
  const real = realPath(path);
  return stdout.split('\0\0').some((entry) => {
    const lines = entry.split('\0');
    return lines.includes(`worktree ${real}`) && lines.includes(`branch refs/heads/${branch}`);
  });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
