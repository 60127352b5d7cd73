/** Ends workers and keeps their records. A session goes with its last window; none is ever killed as such. */
import { stopHeartbeat } from './heartbeat.ts';
import { endWorker } from './life.ts';
import { isRalph, type WorkerRecord } from './record.ts';
import { forgottenWorkers, readWorkers, updateWorker } from './registry.ts';
import { lockedWorker } from './spawn.ts';
import { notFound, refused, type Swarm } from './swarm.ts';
import { removeWorkerWorktree } from './worker-worktree.ts';

export interface KillRequest {
  readonly name: string | undefined;
  readonly all: boolean;
  readonly rmWorktree: boolean;
  readonly forceDirty: boolean;
}

export async function killWorkers(swarm: Swarm, request: KillRequest): Promise<void> {
  for (const record of chosen(swarm, request)) {
    await lockedWorker(swarm, record.name, () => killWorker(swarm, record, request));
    swarm.say(`killed ${record.name}`);
  }
  if (!request.all) return;
  for (const name of forgottenWorkers(swarm)) await lockedWorker(swarm, name, () => endWorker(swarm, name));
}

function chosen(swarm: Swarm, { name, all }: KillRequest): WorkerRecord[] {
  const workers = readWorkers(swarm);
  if (all) return workers;
  if (name === undefined) throw refused('must specify worker name or --all');
  const worker = workers.find((record) => record.name === name);
  if (worker === undefined) throw notFound(name);
  return [worker];
}

async function killWorker(
  swarm: Swarm,
  record: WorkerRecord,
  { rmWorktree, forceDirty }: Pick<KillRequest, 'rmWorktree' | 'forceDirty'>,
): Promise<void> {
  const { name } = record;
  // The loop first: one that still runs would take the end of its agent for the end of an iteration.
  if (isRalph(record)) await swarm.ralph.killed(record, { removeState: rmWorktree });
  await endWorker(swarm, name);
  await stopHeartbeat(swarm, name);
  await updateWorker(swarm, name, { status: 'stopped' });
  const reason = rmWorktree ? await removeWorkerWorktree(swarm, record, forceDirty) : null;
  if (reason !== null) {
    swarm.warn(`swarm: warning: cannot remove worktree for '${name}': ${reason}`);
    swarm.warn('swarm: use --force-dirty to remove anyway');
  }
}
