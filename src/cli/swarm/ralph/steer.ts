/** `swarm ralph pause` and `swarm ralph resume`. */
import { readEnvironment } from '../../../config/environment.ts';
import { pauseLoop, resumeLoop } from '../../../loops/swarm/ralph/control.ts';
import { startSupervisor } from '../../../loops/swarm/ralph/worker.ts';
import type { Swarm } from '../../../loops/swarm/workers/swarm.ts';

export function pauseCommand(name: string, swarm: Swarm): Promise<number> {
  pauseLoop(name, swarm, readEnvironment(swarm.env));
  return Promise.resolve(0);
}

export async function resumeCommand(
  name: string,
  { maxIterations = null }: { readonly maxIterations?: number | null },
  swarm: Swarm,
): Promise<number> {
  const environment = readEnvironment(swarm.env);
  const resuming = { maxIterations, startSupervisor: () => startSupervisor(swarm, name, environment) };
  await resumeLoop(name, swarm, environment, resuming);
  return 0;
}
