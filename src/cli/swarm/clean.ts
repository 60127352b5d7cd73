/** `swarm clean`: forgets stopped workers. */
import { cleanWorkers } from '../../doors/swarm/workers/clean.ts';
import type { Swarm } from '../../doors/swarm/workers/swarm.ts';

export async function cleanCommand(
  swarm: Swarm,
  name: string | undefined,
  { all = false, rmWorktree = true, forceDirty = false }: { all?: boolean; rmWorktree?: boolean; forceDirty?: boolean },
): Promise<number> {
  await cleanWorkers(swarm, { name, all, rmWorktree, forceDirty });
  return 0;
}
