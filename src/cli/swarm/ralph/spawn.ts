/** `swarm spawn --ralph`: starts a worker whose agent is started again and again. */
import { resolve } from 'node:path';
import { version } from '../../../../package.json';
import { readEnvironment } from '../../../config/environment.ts';
import { spawnedLine } from '../../../loops/swarm/ralph/console.ts';
import { readPromptFile } from '../../../loops/swarm/ralph/inputs.ts';
import { createRalph, type RalphLoop } from '../../../loops/swarm/ralph/loop.ts';
import { startProblem } from '../../../loops/swarm/ralph/pane-run.ts';
import { promptVia } from '../../../loops/swarm/ralph/prompt.ts';
import type { RalphRequest } from '../../../loops/swarm/ralph/rules.ts';
import { startSupervisor } from '../../../loops/swarm/ralph/worker.ts';
import { endWorker } from '../../../loops/swarm/workers/life.ts';
import { sandboxOf } from '../../../loops/swarm/workers/record.ts';
import { putWorker, readWorkers, removeWorker } from '../../../loops/swarm/workers/registry.ts';
import {
  newRecord,
  type Prepared,
  type SpawnRequest,
  type Start,
  spawnWorker,
} from '../../../loops/swarm/workers/spawn.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { parseDonePattern } from '../../../tmux/done-pattern/done-pattern.ts';
import { type SpawnFlags, withSandbox } from '../spawn.ts';
import { turnInForeground } from './run.ts';

type RalphFlags = SpawnFlags & { readonly readyTimeout: number };

/** More is rarely meant, and costs. */
const MANY_ITERATIONS = 50;

export async function spawnRalph(swarm: Swarm, spawnOf: () => SpawnRequest, flags: RalphFlags): Promise<number> {
  // First, whatever else is missing.
  if (flags.promptFile === undefined) throw refused('--ralph requires --prompt-file');
  if (flags.maxIterations === undefined) throw refused('--ralph requires --max-iterations');
  const spawn = await withSandbox(swarm, spawnOf(), true);
  const request = ralphRequest(swarm, spawn, flags);
  if (flags.dryRun === true) {
    const { promptFile, maxIterations, donePattern } = request;
    const until = donePattern === null ? '' : `, until its output matches ${donePattern}`;
    const loop = `up to ${maxIterations} iterations${until}; ${promptFile} goes in by ${promptVia(request)}`;
    return (await import('../dry-run.ts')).dryRun(swarm, spawn, loop);
  }
  const made: { loop?: RalphLoop } = {};
  const start: Start = async (_, prepared, undo) => {
    // Said here also when the first iteration is not waited for.
    const problem = startProblem(prepared.argv[0], swarm.env, prepared.cwd);
    if (problem !== null) throw refused(`failed to spawn worker: ${problem}`);
    if (prepared.sandbox?.kind === 'docker') refuseSharedMachine(swarm, prepared);
    await endWorker(swarm, prepared.name);
    if (prepared.sandbox !== null) {
      const { rememberRepository } = await import('../../../loops/swarm/workers/sandbox.ts');
      rememberRepository(swarm.home, prepared.name, prepared.cwd, swarm.env);
    }
    const record = newRecord({ ...prepared, metadata: { ralph: true, ralph_iteration: 1 } }, null);
    undo.push({ what: 'remove the record', run: () => removeWorker(swarm, prepared.name) });
    await putWorker(swarm, record);
    made.loop = createRalph(swarm, request, prepared.cwd, version);
    return record;
  };
  await spawnWorker(swarm, spawn, start);
  if (made.loop === undefined) throw new Error('a worker without its loop');
  if (flags.detach !== true) return turnInForeground(swarm, made.loop);
  made.loop.close();
  await startSupervisor(swarm, request.name);
  swarm.say(spawnedLine(request.name, request.session, request.maxIterations));
  const { name } = request;
  swarm.show(`
Monitor:
  swarm ralph status ${name}    # loop progress
  swarm peek ${name}            # terminal output
  swarm ralph logs ${name}      # iteration history
  swarm kill ${name}            # stop worker
`);
  return 0;
}

function ralphRequest(swarm: Swarm, spawn: SpawnRequest, flags: RalphFlags): RalphRequest {
  const { promptFile = '', maxIterations = 0, inactivityTimeout, donePattern = null, promptVia = null } = flags;
  const path = resolve(swarm.cwd, promptFile);
  readPromptFile(path, promptFile);
  if (donePattern !== null) parseDonePattern(donePattern);
  if (maxIterations > MANY_ITERATIONS) {
    swarm.warn('swarm: warning: high iteration count (>50) may consume significant resources');
  }
  const { swarmSecondMs: secondMs } = readEnvironment(swarm.env);
  const { sandbox } = spawn;
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
    // What a run wrote comes out of Docker within three of our seconds.
    sandbox: sandbox?.kind === 'docker' ? { ...sandbox, settleMs: 3 * secondMs } : sandbox,
    secondMs,
  };
}

/** A work tree has one machine, which is stopped between runs: a second loop's agent would end with the first one's. */
function refuseSharedMachine(swarm: Swarm, { name, cwd }: Prepared): void {
  const others = readWorkers(swarm).filter((record) => record.name !== name && record.cwd === cwd);
  const other = others.find((each) => sandboxOf(each)?.kind === 'docker' && swarm.ralph.isTurning(each.name));
  if (other === undefined) return;
  const hint = 'Give it a work tree of its own: --worktree';
  throw refused(`the Docker Sandbox of ${cwd} is used by worker '${other.name}'`, 2, hint);
}
