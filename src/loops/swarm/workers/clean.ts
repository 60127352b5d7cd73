/** Forgets stopped workers: their records, logs and, unless there is work in it, their worktree. */
import { removeHeartbeat } from './heartbeat.ts';
import { endWorker, isWorkerAlive } from './life.ts';
import { removeLogs } from './log-files.ts';
import type { WorkerRecord } from './record.ts';
import { readWorkers, removeWorker } from './registry.ts';
import { lockedWorker } from './spawn.ts';
import { notFound, refused, type Swarm } from './swarm.ts';
import { removeWorkerWorktree } from './worker-worktree.ts';

export interface CleanRequest {
  readonly name: string | undefined;
  readonly all: boolean;
  readonly rmWorktree: boolean;
  readonly forceDirty: boolean;
}

export async function cleanWorkers(swarm: Swarm, request: CleanRequest): Promise<void> {
  const { name, all } = request;
  if (!all && name === undefined) throw refused('must specify worker name or use --all');
  const workers = readWorkers(swarm).filter((record) => all || record.name === name);
  if (!all && workers.length === 0) throw notFound(name ?? '');
  for (const { name: each } of workers) await lockedWorker(swarm, each, () => cleanWorker(swarm, each, request));
}

async function cleanWorker(swarm: Swarm, name: string, request: CleanRequest): Promise<void> {
  // Read again under the lock: somebody else may have cleaned it, or started it anew.
  const record = readWorkers(swarm).find((worker) => worker.name === name);
  if (record === undefined) return;
  // Between two agents, or paused, a loop still needs its record and its worktree.
  const isTurning = swarm.ralph.isTurning(name);
  if (isTurning || isWorkerAlive(swarm, record)) {
    const hint = isTurning ? `A supervisor runs its loop. To end it, run: swarm kill ${name}` : undefined;
    if (!request.all) throw refused(`cannot clean running worker '${name}'`, 1, hint);
    swarm.warn(`swarm: warning: skipping '${name}' (still running)`);
    return;
  }
  // What it left running behind itself would have no record any more.
  await endWorker(swarm, name);
  if (request.rmWorktree) await removeOrKeep(swarm, record, request.forceDirty);
  removeLogs(swarm.home, name);
  await removeHeartbeat(swarm, name);
  await removeWorker(swarm, name);
  swarm.say(`cleaned ${name}`);
}

async function removeOrKeep(swarm: Swarm, record: WorkerRecord, forceDirty: boolean): Promise<void> {
  const reason = await removeWorkerWorktree(swarm, record, forceDirty);
  if (reason === null) return;
  swarm.warn(`swarm: warning: preserving worktree for '${record.name}': ${reason}`);
  swarm.warn(`swarm: worktree at: ${record.worktree?.path ?? ''}`);
  swarm.warn('swarm: use --force-dirty to remove anyway');
}
