/** `swarm clean`: forgets stopped workers. */
import { cleanWorkers } from '../../loops/swarm/workers/clean.ts';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';

export async function cleanCommand(
  swarm: Swarm,
  name: string | undefined,
  { all = false, rmWorktree = true, forceDirty = false }: { all?: boolean; rmWorktree?: boolean; forceDirty?: boolean },
): Promise<number> {
  await cleanWorkers(swarm, { name, all, rmWorktree, forceDirty });
  return 0;
}
