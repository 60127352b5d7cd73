/** The worktree of a worker, and its removal. */
import { existsSync } from 'node:fs';
import { RalphError } from '../../../core/error.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import { removeWorktree, type Worktree } from '../../../scm/worktree.ts';
import { bentRepository, environmentOfGit } from './base-repository.ts';
import type { WorkerRecord } from './record.ts';
import { sandboxOf } from './sandbox-record.ts';
import type { Swarm } from './swarm.ts';

/** Null when there is none any more; otherwise why it stays. */
export async function removeWorkerWorktree(
  swarm: Swarm,
  record: WorkerRecord,
  forceDirty: boolean,
): Promise<string | null> {
  const { worktree } = record;
  if (worktree === null) return null;
  const { path, branch, base_repo: baseRepo } = worktree;
  const sandbox = sandboxOf(record);
  const tree = { path, branch, baseRepo };
  if (!existsSync(path)) return null;
  const problem = bentRepository(baseRepo);
  if (problem !== null) return problem;
  if (sandbox === null) return removeWorktree(tree, { force: forceDirty }, environmentOfGit(swarm, false));
  return removeSandboxed(swarm, record, { tree, sandbox, force: forceDirty });
}

interface Sandboxed {
  readonly tree: Worktree;
  readonly sandbox: SandboxRequest;
  readonly force: boolean;
}

/** Looked at from within: git obeys what stands in a repository, and a worker may have left one in its worktree. */
async function removeSandboxed(
  swarm: Swarm,
  record: WorkerRecord,
  { tree, sandbox, force }: Sandboxed,
): Promise<string | null> {
  const { forgetSandbox, reopenWorkerSandbox } = await import('./sandbox.ts');
  try {
    const opened = await reopenWorkerSandbox(swarm, record, sandbox);
    const problem = opened?.outsideProblem() ?? null;
    if (opened === null || problem !== null) return problem;
    // What is removed is not looked at again outside; inside it may run whatever it names.
    const env = { ...swarm.env, PATH: environmentOfGit(swarm, true).PATH };
    return await removeWorktree(tree, { force, enclose: opened.enclose }, env);
  } catch (error) {
    if (error instanceof RalphError) return `it cannot be looked at in its sandbox: ${error.message}`;
    throw error;
  } finally {
    forgetSandbox(swarm.home, record.name);
  }
}
