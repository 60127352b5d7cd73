/** `swarm wait`: comes back when workers have ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../../core/time.ts';
import { isWorkerAlive } from '../../loops/swarm/workers/life.ts';
import { findWorker, readWorkers } from '../../loops/swarm/workers/registry.ts';
import { notFound, refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';

/** A look costs a few file reads per worker. */
const LOOK_EVERY: Duration = 100;

export async function waitCommand(
  swarm: Swarm,
  name: string | undefined,
  { all = false, timeout }: { all?: boolean; timeout?: number },
): Promise<number> {
  const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeout * 1000;
  let pending = chosen(swarm, name, all);
  for (;;) {
    const running = pending.filter((each) => isRunning(swarm, each));
    for (const ended of pending.filter((each) => !running.includes(each))) swarm.say(`${ended}: exited`);
    pending = running;
    if (pending.length === 0) return 0;
    if (performance.now() >= deadline) {
      for (const each of pending) swarm.say(`${each}: still running (timeout)`);
      return 1;
    }
    await sleep(Math.min(LOOK_EVERY, Math.max(0, deadline - performance.now())));
  }
}

function chosen(swarm: Swarm, name: string | undefined, all: boolean): string[] {
  if (all) {
    const running = readWorkers(swarm).filter((record) => isWorkerAlive(swarm, record));
    return running.map((record) => record.name);
  }
  if (name === undefined) throw refused('name required (or use --all)');
  if (findWorker(swarm, name) === undefined) throw notFound(name);
  return [name];
}

/** Read anew each time: a worker that is started again meanwhile is waited for too. */
function isRunning(swarm: Swarm, name: string): boolean {
  const record = findWorker(swarm, name);
  return record !== undefined && isWorkerAlive(swarm, record);
}
