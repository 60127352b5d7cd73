/** `swarm spawn --ralph`: starts a worker whose agent is started again and again. */
import { resolve } from 'node:path';
import { type Environment, readEnvironment } from '../../../config/environment.ts';
import { readPromptFile } from '../../../doors/swarm/ralph/inputs.ts';
import { createRalph, type RalphLoop } from '../../../doors/swarm/ralph/loop.ts';
import type { PromptVia, RalphRequest } from '../../../doors/swarm/ralph/rules.ts';
import { saysFor } from '../../../doors/swarm/ralph/say.ts';
import { startSupervisor } from '../../../doors/swarm/ralph/worker.ts';
import { endWorker } from '../../../doors/swarm/workers/life.ts';
import { putWorker, removeWorker } from '../../../doors/swarm/workers/registry.ts';
import { newRecord, type SpawnRequest, type Start, spawnWorker } from '../../../doors/swarm/workers/spawn.ts';
import { refused, type Swarm } from '../../../doors/swarm/workers/swarm.ts';
import { parseDonePattern } from '../../../tmux/done-pattern.ts';
import { turnInForeground } from './run.ts';

export interface RalphFlags {
  readonly promptFile?: string;
  readonly maxIterations?: number;
  readonly inactivityTimeout: number;
  readonly donePattern?: string;
  readonly promptVia?: PromptVia;
  readonly detach?: boolean;
  /** Given by the user; in a loop it is 30 s unless told otherwise. */
  readonly readyTimeout: number;
}

/** More is rarely meant, and costs. */
const MANY_ITERATIONS = 50;

export async function spawnRalph(
  swarm: Swarm,
  spawnOf: () => SpawnRequest,
  flags: RalphFlags,
  release: string,
): Promise<number> {
  const environment = readEnvironment(swarm.env);
  checkFlags(flags);
  const spawn = spawnOf();
  const request = ralphRequest(swarm, spawn, flags, environment);
  const made: { loop?: RalphLoop } = {};
  const start: Start = async (_, prepared, undo) => {
    await endWorker(swarm, prepared.name);
    const record = newRecord({ ...prepared, metadata: { ralph: true, ralph_iteration: 1 } }, null);
    undo.push({ what: 'remove the record', run: () => removeWorker(swarm, prepared.name) });
    await putWorker(swarm, record);
    made.loop = createRalph(request, prepared.cwd, { environment, release });
    return record;
  };
  await spawnWorker(swarm, spawn, start);
  if (made.loop === undefined) throw new Error('a worker without its loop');
  if (flags.detach !== true) return turnInForeground(swarm, made.loop, release);
  made.loop.close();
  startSupervisor(swarm, request.name);
  swarm.say(saysFor(request.name).spawned(request.session, 1, request.maxIterations));
  swarm.show(howToWatch(request.name));
  return 0;
}

/** These first: whoever forgets them is told so, whatever else is missing. */
function checkFlags({ promptFile, maxIterations }: RalphFlags): void {
  if (promptFile === undefined) throw refused('--ralph requires --prompt-file');
  if (maxIterations === undefined) throw refused('--ralph requires --max-iterations');
}

function ralphRequest(swarm: Swarm, spawn: SpawnRequest, flags: RalphFlags, environment: Environment): RalphRequest {
  const { promptFile = '', maxIterations = 0, inactivityTimeout, donePattern = null, promptVia = null } = flags;
  const path = resolve(swarm.cwd, promptFile);
  readPromptFile(path, promptFile);
  if (donePattern !== null) parseDonePattern(donePattern);
  if (maxIterations > MANY_ITERATIONS) {
    swarm.warn('swarm: warning: high iteration count (>50) may consume significant resources');
  }
  return {
    name: spawn.name,
    home: swarm.home.path,
    command: spawn.argv,
    env: spawn.env,
    session: spawn.tmux?.session ?? 'swarm',
    socket: spawn.tmux?.socket ?? null,
    promptFile: path,
    promptVia,
    maxIterations,
    inactivityTimeout,
    donePattern,
    readyTimeout: flags.readyTimeout,
    secondMs: environment.swarmSecondMs,
  };
}

function howToWatch(name: string): string {
  return `
Monitor:
  swarm ralph status ${name}    # loop progress
  swarm peek ${name}            # terminal output
  swarm ralph logs ${name}      # iteration history
  swarm kill ${name}            # stop worker
`;
}
