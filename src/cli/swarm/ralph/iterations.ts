/** `swarm ralph logs`: the iteration log, once or as it grows. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { iterationsLog } from '../../../loops/swarm/ralph/iterations-log.ts';
import type { Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { showIterations } from './status.ts';

export async function iterationsCommand(
  name: string,
  { lines, live = false }: { readonly lines?: number; readonly live?: boolean },
  swarm: Swarm,
): Promise<number> {
  if (!live) return showIterations(name, lines ?? null, swarm);
  // Says what is missing before it would wait for ever.
  showIterations(name, 0, { ...swarm, say: () => undefined });
  const from = lines === undefined ? '+1' : String(lines);
  const tail = spawn('tail', ['-n', from, '-F', iterationsLog(swarm.home.path, name)], { stdio: 'inherit' });
  const [code] = (await once(tail, 'exit')) as [number | null];
  return code ?? 0;
}
