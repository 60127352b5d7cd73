/** Ends workers, and forgets those that have ended: their records, logs and, unless there is work in it, their worktree. */
import { removeHeartbeat, stopHeartbeat } from './heartbeat.ts';
import { removeLogs } from './home.ts';
import { endWorker, isWorkerAlive } from './life.ts';
import { isRalph, type WorkerRecord } from './record.ts';
import { findWorker, forgottenWorkers, readWorkers, removeWorker, updateWorker, workerNamed } from './registry.ts';
import { lockedWorker } from './spawn.ts';
import { refused, type Swarm } from './swarm.ts';
import { removeWorkerWorktree } from './worktree.ts';

export interface EndRequest {
  /** Undefined only with `all`. */
  readonly name: string | undefined;
  readonly all?: boolean;
  readonly rmWorktree?: boolean;
  readonly forceDirty?: boolean;
}

/** Their records stay. A session goes with its last window; none is ever killed as such. */
export async function killWorkers(swarm: Swarm, request: EndRequest): Promise<void> {
  for (const record of chosen(swarm, request, 'must specify worker name or --all')) {
    await lockedWorker(swarm, record.name, () => killWorker(swarm, record, request));
    swarm.say(`killed ${record.name}`);
  }
  if (request.all !== true) return;
  for (const forgotten of forgottenWorkers(swarm)) {
    await lockedWorker(swarm, forgotten, () => endWorker(swarm, forgotten));
  }
}

async function killWorker(
  swarm: Swarm,
  record: WorkerRecord,
  { rmWorktree = false, forceDirty = false }: EndRequest,
): Promise<void> {
  const { name } = record;
  // The loop first: one that still runs would take the end of its agent for the end of an iteration.
  if (isRalph(record)) await swarm.ralph.killed(record, { removeState: rmWorktree });
  await endWorker(swarm, name);
  await stopHeartbeat(swarm, name);
  await updateWorker(swarm, name, { status: 'stopped' });
  const reason = rmWorktree ? await removeWorkerWorktree(swarm, record, forceDirty) : null;
  if (reason === null) return;
  swarm.warn(`swarm: warning: cannot remove worktree for '${name}': ${reason}`);
  swarm.warn('swarm: use --force-dirty to remove anyway');
}

export async function cleanWorkers(swarm: Swarm, request: EndRequest): Promise<void> {
  for (const { name } of chosen(swarm, request, 'must specify worker name or use --all')) {
    await lockedWorker(swarm, name, () => cleanWorker(swarm, name, request));
  }
}

function chosen(swarm: Swarm, { name, all = false }: EndRequest, advice: string): WorkerRecord[] {
  if (all) return readWorkers(swarm);
  if (name === undefined) throw refused(advice);
  return [workerNamed(swarm, name)];
}

async function cleanWorker(
  swarm: Swarm,
  name: string,
  { all = false, rmWorktree = true, forceDirty = false }: EndRequest,
): Promise<void> {
  // Read again under the lock: it may have been cleaned meanwhile, or started anew.
  const record = findWorker(swarm, name);
  if (record === undefined) return;
  // Between two agents, or paused, a loop still needs its record and its worktree.
  const isTurning = swarm.ralph.isTurning(name);
  if (isTurning || isWorkerAlive(swarm, record)) {
    const hint = isTurning ? `A supervisor runs its loop. To end it, run: swarm kill ${name}` : undefined;
    if (!all) throw refused(`cannot clean running worker '${name}'`, 1, hint);
    swarm.warn(`swarm: warning: skipping '${name}' (still running)`);
    return;
  }
  // What it left running behind itself would have no record any more.
  await endWorker(swarm, name);
  const reason = rmWorktree ? await removeWorkerWorktree(swarm, record, forceDirty) : null;
  if (reason !== null) {
    swarm.warn(`swarm: warning: preserving worktree for '${name}': ${reason}`);
    swarm.warn(`swarm: worktree at: ${record.worktree?.path ?? ''}`);
    swarm.warn('swarm: use --force-dirty to remove anyway');
  }
  removeLogs(swarm.home, name);
  await removeHeartbeat(swarm, name);
  await removeWorker(swarm, name);
  swarm.say(`cleaned ${name}`);
}
