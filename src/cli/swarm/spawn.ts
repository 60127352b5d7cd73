/** `swarm spawn`: starts a worker. */

import { paneAgent } from '../../agents/pane.ts';
import { describeExit } from '../../core/outcome.ts';
import { windowFolder } from '../../loops/swarm/workers/home.ts';
import { controlOf, windowOf } from '../../loops/swarm/workers/life.ts';
import { describePlace, type WorkerRecord } from '../../loops/swarm/workers/record.ts';
import { type SpawnRequest, spawnWorker } from '../../loops/swarm/workers/spawn.ts';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { TmuxGone, TmuxRefusal } from '../../tmux/control.ts';
import { waitUntilReady } from '../../tmux/ready.ts';
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
  const request = await withSandbox(swarm, spawnRequest(words, flags), false);
  if (flags.dryRun === true) return (await import('./dry-run.ts')).dryRun(swarm, request);
  const record = await undisturbed(() => spawnWorker(swarm, request));
  if (flags.readyWait === true && record.tmux !== null) {
    await waitForReady(swarm, record, flags.readyTimeout ?? READY_TIMEOUT);
  }
  swarm.say(`spawned ${record.name} (${describePlace(record)})`);
  return 0;
}

/** Its sandbox is one that can be had; refused where it was asked for by its name and cannot. */
export async function withSandbox(swarm: Swarm, request: SpawnRequest, hasLoop: boolean): Promise<SpawnRequest> {
  const { argv, sandbox } = request;
  if (sandbox === null) return request;
  const { settledWorkerSandbox } = await import('../../loops/swarm/workers/sandbox.ts');
  const { env, cwd } = swarm;
  const settled = await settledWorkerSandbox(sandbox, { argv, env, cwd, hasLoop });
  if (settled.sandbox === null) {
    const { docker, os } = settled.passedOver;
    swarm.warn(`swarm: warning: no sandbox: ${docker}; ${os}`);
    swarm.say('Isolation: none, the agent can do whatever you can');
  }
  return { ...request, sandbox: settled.sandbox };
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

/** A command that is no agent we know is waited for by what prompts look like. */
async function waitForReady(swarm: Swarm, record: WorkerRecord, seconds: number): Promise<void> {
  const { name } = record;
  const warn = (text: string): void => swarm.warn(`swarm: warning: ${text}`);
  const window = windowOf(swarm.home, name);
  const control = controlOf(swarm, record);
  try {
    if (window === null) throw new TmuxGone('nowhere', 'it has no window');
    const readiness = await waitUntilReady({
      control,
      pane: window.paneId,
      agent: paneAgent(record.cmd),
      timeout: seconds * 1000,
      onDialog: ({ message }) => warn(message),
    });
    if (readiness.is === 'timed-out') warn(`agent '${name}' did not become ready within ${seconds}s`);
  } catch (error) {
    if (!(error instanceof TmuxRefusal || error instanceof TmuxGone)) throw error;
    warn(`agent '${name}' exited before it became ready${exitText(swarm, name)}`);
  } finally {
    control.close();
  }
}

function exitText({ home }: Swarm, name: string): string {
  const window = windowOf(home, name);
  const exit = window === null ? null : exitOf(windowFolder(home, name), window);
  return exit === null ? '' : ` (${describeExit(exit)})`;
}
