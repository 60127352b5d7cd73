/** A worker that has a loop: its record, its supervisor, and its end. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../../config/environment.ts';
import type { Duration } from '../../../core/time.ts';
import type { Driven } from '../../../engine/drive.ts';
import { giveOrder } from '../../../engine/orders.ts';
import { makeFolders } from '../../../process/files.ts';
import { endWorker } from '../workers/life.ts';
import type { WorkerRecord } from '../workers/record.ts';
import { updateWorker } from '../workers/registry.ts';
import { sandboxMetadata } from '../workers/sandbox-record.ts';
import { type RalphSide, refused, type Swarm } from '../workers/swarm.ts';
import { findRalph, isSupervised, type RalphLoop, reopenRalph, supervise, supervisorLog } from './loop.ts';
import { forgetLoop } from './pointer.ts';
import { ralphFolder, readRalphState } from './state-file.ts';

export interface Supervisor {
  readonly environment: Environment;
  readonly release: string;
  readonly stop: AbortSignal;
  readonly say: (line: string) => void;
}

/** Turns the loop; the worker's record follows it. */
export async function superviseWorker(swarm: Swarm, loop: RalphLoop, supervisor: Supervisor): Promise<Driven> {
  const { name, sandbox = null } = loop.state.data.request;
  let written: Promise<void> = Promise.resolve();
  const onIteration = (iteration: number): void => {
    const metadata = { ralph: true, ralph_iteration: iteration, ...sandboxMetadata(sandbox) };
    written = written.then(() => updateWorker(swarm, name, { status: 'running', metadata }));
    // Told at the end, when somebody waits for it.
    written.catch(nothing);
  };
  try {
    return await supervise(loop, { ...supervisor, warn: swarm.warn, self: swarm.self, onIteration });
  } finally {
    await written;
  }
}

/** In the background, with its words in a file: `swarm ralph run` by another name. */
export function startSupervisor(swarm: Swarm, name: string): void {
  const log = supervisorLog(swarm.home.path, name);
  makeFolders(dirname(log), 0o700);
  const file = openSync(log, 'a', 0o600);
  const [program, ...args] = swarm.self;
  const options = { cwd: swarm.cwd, env: swarm.env, detached: true } as const;
  spawn(program, [...args, 'ralph', 'run', name], { ...options, stdio: ['ignore', file, file] }).unref();
  closeSync(file);
}

/** `patience`: how long a supervisor may take to obey. */
export function ralphSide(
  environment: Environment,
  release: string,
  swarmOf: () => Swarm,
  patience: Duration = STOPPING_TAKES_AT_MOST,
): RalphSide {
  const stopLoop = async (swarm: Swarm, name: string): Promise<void> => {
    const found = findRalph(swarm.home.path, name, environment);
    if (found === null || found.isOver) return;
    giveOrder(found.folder, 'stop');
    await endWorker(swarm, name);
    // Whoever turns the loop ends it; where nobody does, this is its last turn.
    const deadline = performance.now() + patience;
    while (isSupervised(found, environment)) {
      if (performance.now() > deadline) throw refused(`the supervisor of '${name}' does not obey; its agent was ended`);
      await sleep(LOOK_EVERY_MS);
    }
    const { self, warn } = swarm;
    const supervising = { environment, release, say: nothing, warn, stop: NEVER, self, onIteration: nothing };
    const loop = reopenRalph(swarm.home.path, name, supervising);
    if (loop !== null) await supervise(loop, supervising);
  };
  return {
    isTurning: ({ name }) => {
      const found = findRalph(swarmOf().home.path, name, environment);
      return found !== null && !found.isOver && isSupervised(found, environment);
    },
    refusals: ({ name }) => readRalphState(swarmOf().home.path, name, nothing)?.sandbox_refusals ?? 0,
    async killed({ name }: WorkerRecord, { removeState }) {
      const swarm = swarmOf();
      await stopLoop(swarm, name);
      if (!removeState) return;
      rmSync(ralphFolder(swarm.home.path, name), { recursive: true, force: true, maxRetries: 5 });
      forgetLoop(swarm.home.path, name);
    },
  };
}

const LOOK_EVERY_MS = 20;
const STOPPING_TAKES_AT_MOST: Duration = 30_000;
const NEVER = new AbortController().signal;

function nothing(): void {
  // Nobody listens to a last turn.
}
