/**
 * Creates and removes worktrees of workers. A sandboxed worker may write to the repository of its worktree, and git
 * runs programs that a repository configures, so git needs care here.
 */
import { existsSync } from 'node:fs';
import { RalphError } from '../../../core/error.ts';
import { faultMessage } from '../../../core/system-fault.ts';
import { realPath } from '../../../process/files.ts';
import { pathOutsideOf } from '../../../runners/sandbox/own-environment.ts';
import {
  findRepository,
  makeWorktree,
  removeWorktree,
  unmakeWorktree,
  WorktreeError,
  worktreePath,
} from '../../../scm/worktree.ts';
import { plantedCommondir } from '../../../state/git-place.ts';
import { sandboxOf, type WorkerRecord } from './record.ts';
import { readWorkers } from './registry.ts';
import { refused, type Swarm } from './swarm.ts';

type WorkerWorktree = NonNullable<WorkerRecord['worktree']>;

/** How to undo one step of a start; `what` names it if that fails, too. */
export interface Undo {
  readonly what: string;
  run(): Promise<void>;
}

/** Where a new worker's worktree will be. Throws if there is no repository. */
export async function planWorktree(
  { cwd, warn }: Swarm,
  { name, branch, parent }: { name: string; branch: string; parent: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<WorkerWorktree> {
  refuseBentRepository(cwd);
  try {
    const repository = await findRepository(cwd, env);
    if (repository === null) throw refused('not in a git repository (required for --worktree)');
    if (repository.wasRepaired) warn('swarm: warning: Fixed core.bare=true in git config');
    return { path: worktreePath(repository.root, name, parent), branch, base_repo: repository.root };
  } catch (error) {
    if (error instanceof WorktreeError) throw refused(`failed to create worktree: ${error.message}`);
    throw error;
  }
}

export async function createWorktree(worktree: WorkerWorktree, env: NodeJS.ProcessEnv, undo: Undo[]): Promise<void> {
  const baseRepo = worktree.base_repo;
  refuseBentRepository(baseRepo);
  try {
    const made = await makeWorktree({ ...worktree, baseRepo }, env);
    if (made.isNew) undo.push({ what: 'remove worktree', run: () => unmakeWorktree(made, env) });
  } catch (error) {
    throw refused(`failed to create worktree: ${faultMessage(error)}`);
  }
}

/** Null if the worktree is gone; otherwise why it is kept. */
export async function removeWorkerWorktree(swarm: Swarm, record: WorkerRecord, force: boolean): Promise<string | null> {
  const { worktree } = record;
  const sandbox = worktree === null ? null : sandboxOf(record);
  if (worktree === null || !existsSync(worktree.path)) return null;
  const tree = { ...worktree, baseRepo: worktree.base_repo };
  const problem = bentRepository(tree.baseRepo);
  if (problem !== null) return problem;
  if (sandbox === null) return removeWorktree(tree, { force }, environmentOfGit(swarm, false));
  // Inspect it inside the sandbox: git obeys a repository's settings, and the worker may have left a repository there.
  const { forgetSandbox, openWorkerSandbox } = await import('./sandbox.ts');
  try {
    const { name, cmd: argv, cwd, env: own } = record;
    const opened = await openWorkerSandbox(swarm, sandbox, { name, argv, cwd, env: own, hasTerminal: false });
    const outside = opened?.outsideProblem() ?? null;
    if (opened === null || outside !== null) return outside;
    // It is not inspected outside again; inside the sandbox, git may run whatever the repository configures.
    const env = { ...swarm.env, PATH: environmentOfGit(swarm, true).PATH };
    return await removeWorktree(tree, { force, enclose: opened.enclose }, env);
  } catch (error) {
    if (error instanceof RalphError) return `it cannot be looked at in its sandbox: ${error.message}`;
    throw error;
  } finally {
    forgetSandbox(swarm.home, record.name);
  }
}

/** A planted `commondir` file, which git never puts there, leads to another repository with its hooks and settings. */
function bentRepository(folder: string): string | null {
  const planted = existsSync(folder) ? plantedCommondir(realPath(folder)) : null;
  return planted === null ? null : `git would use another repository, because of ${planted}`;
}

function refuseBentRepository(folder: string): void {
  const problem = bentRepository(folder);
  if (problem !== null) throw refused(problem, 1, 'Look at it, and remove it.');
}

/** Once any worker of this home is or was sandboxed, git runs no hooks, and is not looked up in the work tree. */
export function environmentOfGit(swarm: Swarm, isSandboxed: boolean): NodeJS.ProcessEnv {
  const { cwd, env } = swarm;
  const isCareful = isSandboxed || readWorkers(swarm).some(({ metadata }) => (metadata.sandbox ?? null) !== null);
  if (!isCareful) return env;
  const first = Number(env.GIT_CONFIG_COUNT) || 0;
  return {
    ...env,
    PATH: pathOutsideOf(cwd, env),
    GIT_CONFIG_COUNT: String(first + 2),
    [`GIT_CONFIG_KEY_${first}`]: 'core.hooksPath',
    [`GIT_CONFIG_VALUE_${first}`]: '/dev/null',
    [`GIT_CONFIG_KEY_${first + 1}`]: 'core.fsmonitor',
    [`GIT_CONFIG_VALUE_${first + 1}`]: 'false',
  };
}
