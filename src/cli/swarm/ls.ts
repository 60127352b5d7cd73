/** `swarm ls` and `swarm status`: what there is, and whether it runs. */
import { listWorkers, statusLine, statusOf } from '../../loops/swarm/workers/list.ts';
import { refusalsOf } from '../../loops/swarm/workers/refusals.ts';
import { findWorker } from '../../loops/swarm/workers/registry.ts';
import { notFound, type Swarm } from '../../loops/swarm/workers/swarm.ts';
import type { ListFlags } from './program.ts';

export function lsCommand(swarm: Swarm, { format, status, tag }: ListFlags): Promise<number> {
  swarm.show(listWorkers(swarm, { format, status, tag }));
  return Promise.resolve(0);
}

export function statusCommand(swarm: Swarm, name: string): Promise<number> {
  const record = findWorker(swarm, name);
  if (record === undefined) throw notFound(name, 2);
  const status = statusOf(swarm, record);
  swarm.say(statusLine(swarm, record, status));
  // Those of a loop are in its log, with its iterations.
  for (const refusal of refusalsOf(swarm.home, name)) swarm.say(`  Sandbox: ${refusal}`);
  return Promise.resolve(status === 'running' ? 0 : 1);
}
