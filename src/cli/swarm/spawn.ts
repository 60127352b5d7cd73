/** `swarm spawn`: starts a worker. */

import { describeExit } from '../../core/outcome.ts';
import { windowFolder } from '../../doors/swarm/workers/home.ts';
import { isWorkerAlive, paneOf, windowOf } from '../../doors/swarm/workers/life.ts';
import { describePlace, type WorkerRecord } from '../../doors/swarm/workers/record.ts';
import { spawnWorker } from '../../doors/swarm/workers/spawn.ts';
import type { Swarm } from '../../doors/swarm/workers/swarm.ts';
import { waitUntilReady } from '../../tmux/wait-ready.ts';
import { exitOf } from '../../tmux/window.ts';
import { type SpawnFlags, spawnRequest } from './spawn-request.ts';

/** In seconds. */
const READY_TIMEOUT = 120;
const READY_TIMEOUT_IN_A_LOOP = 30;

export async function spawnCommand(
  swarm: Swarm,
  words: readonly string[],
  flags: SpawnFlags,
  release: string,
): Promise<number> {
  if (flags.ralph === true) {
    const { spawnRalph } = await import('./ralph/spawn.ts');
    const readyTimeout = flags.readyTimeout ?? READY_TIMEOUT_IN_A_LOOP;
    return spawnRalph(swarm, () => spawnRequest(words, { ...flags, tmux: true }), { ...flags, readyTimeout }, release);
  }
  const request = spawnRequest(words, flags);
  const record = await undisturbed(() => spawnWorker(swarm, request));
  if (flags.readyWait === true && record.tmux !== null) {
    await waitForReady(swarm, record, flags.readyTimeout ?? READY_TIMEOUT);
  }
  swarm.say(`spawned ${record.name} (${describePlace(record)})`);
  return 0;
}

/** A Ctrl-C ends git or tmux, which fails the step and undoes those before it; it must not end the undoing too. */
export async function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  const hold = (): void => undefined;
  process.on('SIGINT', hold).on('SIGTERM', hold);
  try {
    return await work();
  } finally {
    process.off('SIGINT', hold).off('SIGTERM', hold);
  }
}

async function waitForReady(swarm: Swarm, record: WorkerRecord, timeout: number): Promise<void> {
  const { name } = record;
  const pane = await paneOf(swarm, record).catch(() => null);
  const readiness = await waitUntilReady({
    // A screen that is gone shows nothing; that the worker is gone too is seen at the next look.
    screen: () => pane?.capture().catch(() => '') ?? Promise.resolve(''),
    isAlive: () => pane !== null && isWorkerAlive(swarm, record),
    timeout: timeout * 1000,
  });
  if (readiness === 'gone')
    swarm.warn(`swarm: warning: agent '${name}' exited before it became ready${exitText(swarm, name)}`);
  if (readiness === 'timeout') swarm.warn(`swarm: warning: agent '${name}' did not become ready within ${timeout}s`);
}

function exitText({ home }: Swarm, name: string): string {
  const window = windowOf(home, name);
  const exit = window === null ? null : exitOf(windowFolder(home, name), window);
  return exit === null ? '' : ` (${describeExit(exit)})`;
}
