/** Which loops are referred to from outside of their folder: by a worker of a swarm, or by an open session. */
import type { Environment } from '../../config/environment.ts';
import { loopsOfSessions } from '../../loops/session/store.ts';
import { loopsOfWorkers } from '../../loops/swarm/ralph/files.ts';

export function pointedAt({ root, swarmHome }: Environment): (loop: { readonly id: string }) => boolean {
  const [workers, sessions] = [loopsOfWorkers(swarmHome), loopsOfSessions(root)];
  return ({ id }) => workers.has(id) || sessions.has(id);
}
