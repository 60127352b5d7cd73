/** The worktree of a worker, and its removal. */
import { removeWorktree } from '../../../scm/worktree.ts';
import type { WorkerRecord } from './record.ts';
import type { Swarm } from './swarm.ts';

/** Null when there is none any more; otherwise why it stays. */
export async function removeWorkerWorktree(
  { env }: Swarm,
  { worktree }: WorkerRecord,
  forceDirty: boolean,
): Promise<string | null> {
  if (worktree === null) return null;
  const { path, branch, base_repo: baseRepo } = worktree;
  return removeWorktree({ path, branch, baseRepo }, { force: forceDirty }, env);
}
