/** `swarm respawn`: starts a worker again. */
import { describePlace } from '../../doors/swarm/workers/record.ts';
import { respawnWorker } from '../../doors/swarm/workers/respawn.ts';
import type { Swarm } from '../../doors/swarm/workers/swarm.ts';

export async function respawnCommand(
  swarm: Swarm,
  name: string,
  { cleanFirst = false, forceDirty = false }: { cleanFirst?: boolean; forceDirty?: boolean },
): Promise<number> {
  const record = await respawnWorker(swarm, { name, cleanFirst, forceDirty });
  swarm.say(`respawned ${name} (${describePlace(record)})`);
  return 0;
}
