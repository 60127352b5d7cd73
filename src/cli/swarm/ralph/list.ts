/** `swarm ralph list`: every loop, with what has become of its worker. */
import { isWorkerAlive } from '../../../loops/swarm/workers/life.ts';
import { readWorkers } from '../../../loops/swarm/workers/registry.ts';
import type { Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { type ListFlags, listLoops } from './status.ts';

export function listCommand(flags: ListFlags, swarm: Swarm): Promise<number> {
  const workers = readWorkers(swarm).map(
    (record) => [record.name, isWorkerAlive(swarm, record) ? 'running' : 'stopped'] as const,
  );
  return Promise.resolve(listLoops(flags, swarm, new Map(workers)));
}
