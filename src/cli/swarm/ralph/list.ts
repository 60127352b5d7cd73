/** `swarm ralph list`: every loop, with what has become of its worker. */
import { isWorkerAlive } from '../../../doors/swarm/workers/life.ts';
import { readWorkers } from '../../../doors/swarm/workers/registry.ts';
import type { Swarm } from '../../../doors/swarm/workers/swarm.ts';
import { type ListFlags, listLoops } from './status.ts';

export function listCommand(flags: ListFlags, swarm: Swarm): Promise<number> {
  const workers = readWorkers(swarm).map(
    (record) => [record.name, isWorkerAlive(swarm, record) ? 'running' : 'stopped'] as const,
  );
  return Promise.resolve(listLoops(flags, swarm, new Map(workers)));
}
