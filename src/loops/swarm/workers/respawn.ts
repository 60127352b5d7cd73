/** Starts a worker again as it was: same command, environment, tags, folder, session and worktree. */
import { existsSync } from 'node:fs';
import { unmakeWorktree } from '../../../scm/worktree.ts';
import { environmentOfGit } from './base-repository.ts';
import { endWorker } from './life.ts';
import { isRalph, type WorkerRecord } from './record.ts';
import { findWorker } from './registry.ts';
import { sandboxOf } from './sandbox-record.ts';
import { createWorktree, lockedWorker, rollBack, startWorker, type Undo } from './spawn.ts';
import { notFound, refused, type Swarm } from './swarm.ts';
import { removeWorkerWorktree } from './worker-worktree.ts';

export interface RespawnRequest {
  readonly name: string;
  readonly cleanFirst: boolean;
  readonly forceDirty: boolean;
}

export function respawnWorker(swarm: Swarm, request: RespawnRequest): Promise<WorkerRecord> {
  return lockedWorker(swarm, request.name, async () => {
    const record = findWorker(swarm, request.name);
    if (record === undefined) throw notFound(request.name);
    if (isRalph(record)) {
      const hint = `Go on with it: swarm ralph resume ${record.name}; or begin anew: swarm spawn --ralph`;
      throw refused(`worker '${record.name}' has a loop, which starts its agent`, 1, hint);
    }
    const [program, ...args] = record.cmd;
    if (program === undefined) throw refused('no command provided (use -- command...)');
    const sandbox = sandboxOf(record);
    if (sandbox !== null) {
      const { settledWorkerSandbox } = await import('./sandbox.ts');
      await settledWorkerSandbox(sandbox, { argv: record.cmd, env: swarm.env, cwd: record.cwd, hasLoop: false });
    }
    await endWorker(swarm, record.name);
    if (request.cleanFirst) await removeFirst(swarm, record, request.forceDirty);
    const undo: Undo[] = [];
    try {
      await restoreWorktree(record, environmentOfGit(swarm, sandbox !== null), undo);
      return await startWorker(swarm, { ...record, argv: [program, ...args], sandbox }, undo);
    } catch (error) {
      await rollBack(swarm, undo);
      throw error;
    }
  });
}

async function removeFirst(swarm: Swarm, record: WorkerRecord, forceDirty: boolean): Promise<void> {
  const reason = await removeWorkerWorktree(swarm, record, forceDirty);
  if (reason === null) return;
  const advice = 'swarm: use --force-dirty to remove anyway, or commit changes first';
  throw refused(`cannot remove worktree: ${reason}\nswarm: worktree at: ${record.worktree?.path ?? ''}\n${advice}`);
}

async function restoreWorktree({ worktree }: WorkerRecord, env: NodeJS.ProcessEnv, undo: Undo[]): Promise<void> {
  if (worktree === null || existsSync(worktree.path)) return;
  const made = await createWorktree(worktree, env);
  undo.push({ what: 'remove worktree', run: () => unmakeWorktree(made, env) });
}
