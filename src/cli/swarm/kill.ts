/** `swarm kill`: ends workers. */
import { killWorkers } from '../../loops/swarm/workers/kill.ts';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';

export async function killCommand(
  swarm: Swarm,
  name: string | undefined,
  {
    all = false,
    rmWorktree = false,
    forceDirty = false,
  }: { all?: boolean; rmWorktree?: boolean; forceDirty?: boolean },
): Promise<number> {
  // A worker that kills itself closes the terminal that this runs in; the record must still be written.
  process.on('SIGHUP', () => undefined);
  await killWorkers(swarm, { name, all, rmWorktree, forceDirty });
  return 0;
}
