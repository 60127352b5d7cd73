/** `swarm respawn`: starts a worker again. */
import { describePlace } from '../../loops/swarm/workers/record.ts';
import { respawnWorker } from '../../loops/swarm/workers/respawn.ts';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';

export async function respawnCommand(
  swarm: Swarm,
  name: string,
  { cleanFirst = false, forceDirty = false }: { cleanFirst?: boolean; forceDirty?: boolean },
): Promise<number> {
  const record = await respawnWorker(swarm, { name, cleanFirst, forceDirty });
  swarm.say(`respawned ${name} (${describePlace(record)})`);
  return 0;
}
