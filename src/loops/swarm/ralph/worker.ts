/** A worker that has a loop: its record, its supervisor, and its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../../config/environment.ts';
import type { WorkState } from '../../../core/closing-summary.ts';
import { RalphError } from '../../../core/error.ts';
import { faultMessage, systemFault } from '../../../core/system-fault.ts';
import type { Duration } from '../../../core/time.ts';
import { tellLoop } from '../../../engine/control.ts';
import type { Driven } from '../../../engine/drive.ts';
import { makeFolders } from '../../../process/files.ts';
import { removeFolder } from '../../../state/folders.ts';
import { endWorker } from '../workers/life.ts';
import type { WorkerRecord } from '../workers/record.ts';
import { updateWorker } from '../workers/registry.ts';
import { sandboxMetadata } from '../workers/sandbox-record.ts';
import { type RalphSide, refused, type Swarm } from '../workers/swarm.ts';
import { findRalph, isSupervised, isTurned, isUnfinished, knownRalph } from './find.ts';
import { type RalphLoop, reopenRalph, supervise, supervisorLog } from './loop.ts';
import { forgetLoop } from './pointer.ts';
import { ralphFolder } from './state-file.ts';

export interface Supervisor {
  readonly environment: Environment;
  readonly release: string;
  readonly stop: AbortSignal;
  readonly say: (line: string) => void;
  /** Gets whether the work is committed, when the loop is left. */
  readonly left: (work: WorkState) => void;
}

/** Turns the loop; the worker's record follows it. */
export async function superviseWorker(swarm: Swarm, loop: RalphLoop, supervisor: Supervisor): Promise<Driven> {
  const { name, sandbox = null } = loop.state.data.request;
  let written: Promise<void> = Promise.resolve();
  // The record is for those who list workers; the loop goes on without.
  const cannotFollow = (error: unknown): void => {
    if (!(error instanceof RalphError) && systemFault(error) === null) throw error;
    swarm.warn(`swarm: warning: the record of worker '${name}' is behind: ${faultMessage(error)}`);
  };
  const onIteration = (iteration: number): void => {
    const metadata = { ralph: true, ralph_iteration: iteration, ...sandboxMetadata(sandbox) };
    written = written.then(() => updateWorker(swarm, name, { status: 'running', metadata })).catch(cannotFollow);
  };
  try {
    return await supervise(loop, { ...supervisor, warn: swarm.warn, self: swarm.self, onIteration });
  } finally {
    await written;
  }
}

/**
 * In the background, with its words in a file: `swarm ralph run` by another name. Resolves when it turns the loop; throws
 * what it says when it ends before that.
 */
export async function startSupervisor(swarm: Swarm, name: string, environment: Environment): Promise<void> {
  const found = findRalph(swarm.home.path, name, environment);
  if (found === null) throw refused(`worker '${name}' is not a ralph worker`);
  const log = supervisorLog(swarm.home.path, name);
  makeFolders(dirname(log), 0o700);
  const file = openSync(log, 'a', 0o600);
  const { size } = fstatSync(file);
  const [program, ...args] = swarm.self;
  const options = { cwd: swarm.cwd, env: swarm.env, detached: true } as const;
  const child = spawn(program, [...args, 'ralph', 'run', name], { ...options, stdio: ['ignore', file, file] });
  closeSync(file);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  child.unref();
  await once(child, 'spawn');
  while (!hasEnded() && !isSupervised(found)) await sleep(LOOK_EVERY_MS);
  // One who was quick may have brought the loop to its end.
  const hasTurned = findRalph(swarm.home.path, name, environment)?.state.seq !== found.state.seq;
  if (hasEnded() && !hasTurned)
    throw refused(lastError(log, size) ?? `the supervisor of '${name}' ended`, 1, `See ${log}`);
}

/** The newest of its messages, below what was in the log before. */
function lastError(log: string, from: number): string | null {
  const lines = readFileSync(log).toString('utf8', from).split('\n');
  return lines.findLast((line) => line.startsWith(ERROR))?.slice(ERROR.length) ?? null;
}

const ERROR = 'swarm: error: ';

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
    tellLoop(found.folder, 'stop');
    await endWorker(swarm, name);
    // Whoever turns the loop ends it; where nobody does, this is its last turn.
    const deadline = performance.now() + patience;
    while (isSupervised(found)) {
      if (performance.now() > deadline) throw refused(`the supervisor of '${name}' does not obey; its agent was ended`);
      await sleep(LOOK_EVERY_MS);
    }
    const { self, warn } = swarm;
    const supervising = { environment, release, say: nothing, warn, stop: NEVER, self, onIteration: nothing };
    const loop = reopenRalph(swarm.home.path, name, supervising);
    if (loop !== null) await supervise(loop, supervising);
  };
  return {
    isTurning: (name) => isTurned(swarmOf().home.path, name, environment),
    isUnfinished: (name) => isUnfinished(name, swarmOf(), environment),
    refusals: ({ name }) => knownRalph(name, swarmOf(), environment)?.view.sandbox_refusals ?? 0,
    async killed({ name }: WorkerRecord, { removeState }) {
      const swarm = swarmOf();
      const folder = ralphFolder(swarm.home.path, name);
      // Somebody who has removed it wants no trace of the loop, and this would bring it back.
      const isForgotten = !existsSync(folder);
      await stopLoop(swarm, name);
      if (!removeState && !isForgotten) return;
      removeFolder(folder);
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
