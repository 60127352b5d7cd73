/** Which loops something leads to that is not in their folder: a worker of a swarm, a session that goes on. */
import type { Environment } from '../../config/environment.ts';
import { loopsOfSessions } from '../../loops/session/store.ts';
import { loopsOfWorkers } from '../../loops/swarm/ralph/files.ts';

export function pointedAt({ root, swarmHome }: Environment): (loop: { readonly id: string }) => boolean {
  const [workers, sessions] = [loopsOfWorkers(swarmHome), loopsOfSessions(root)];
  return ({ id }) => workers.has(id) || sessions.has(id);
}
