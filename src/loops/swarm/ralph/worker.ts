/** A worker that has a loop: its record, its supervisor, and what people order: to pause, to resume, to end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canContinue } from '../../../core/ending.ts';
import { RalphError } from '../../../core/error.ts';
import { faultMessage, systemFault } from '../../../core/system-fault.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { Duration } from '../../../core/time.ts';
import { tellLoop } from '../../../engine/control.ts';
import type { Driven } from '../../../engine/drive.ts';
import { makeFolders } from '../../../process/files.ts';
import { removeFolder } from '../../../state/folders.ts';
import { logsFolder } from '../workers/home.ts';
import { endWorker } from '../workers/life.ts';
import { sandboxMetadata, type WorkerRecord } from '../workers/record.ts';
import { updateWorker } from '../workers/registry.ts';
import { type RalphSide, refused, type Swarm } from '../workers/swarm.ts';
import { iterationsMade } from './closing.ts';
import {
  findRalph,
  isSupervised,
  isTurned,
  isUnfinished,
  type KnownRalph,
  knownRalph,
  ralphNamed,
  rewriteStateFile,
} from './find.ts';
import { readPromptFile } from './inputs.ts';
import { appendLog } from './iterations-log.ts';
import { continueRalph, type RalphLoop, reopenRalph, type Supervising, supervise } from './loop.ts';
import { forgetLoop } from './pointer.ts';
import { changeStateFile, ralphFolder, withEdits } from './state-file.ts';

/** Turns the loop; the worker's record follows it. */
export async function superviseWorker(
  swarm: Swarm,
  loop: RalphLoop,
  supervising: Omit<Supervising, 'onIteration'>,
): Promise<Driven> {
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
    return await supervise(swarm, loop, { ...supervising, onIteration });
  } finally {
    await written;
  }
}

/**
 * In the background, with its words in a file: `swarm ralph run` by another name. Resolves when it turns the loop; throws
 * what it says when it ends before that.
 */
export async function startSupervisor(swarm: Swarm, name: string): Promise<void> {
  const found = findRalph(swarm, name);
  if (found === null) throw refused(`worker '${name}' is not a ralph worker`);
  const log = join(logsFolder(swarm.home), `${name}.ralph.log`);
  makeFolders(logsFolder(swarm.home), 0o700);
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
  // A quick one may have brought the loop to its end.
  const hasTurned = findRalph(swarm, name)?.state.seq !== found.state.seq;
  if (hasEnded() && !hasTurned)
    throw refused(lastError(log, size) ?? `the supervisor of '${name}' ended`, 1, `See ${log}`);
}

/** The newest of its messages, below what was in the log before. */
function lastError(log: string, from: number): string | null {
  const lines = readFileSync(log).toString('utf8', from).split('\n');
  return lines.findLast((line) => line.startsWith(ERROR))?.slice(ERROR.length) ?? null;
}

const ERROR = 'swarm: error: ';

export function pauseLoop(swarm: Swarm, name: string): void {
  const { found, view } = ralphNamed(swarm, name);
  if (view.status === 'paused') {
    swarm.warn(`swarm: warning: worker '${name}' is already paused`);
    return;
  }
  if (found.isOver) throw refused(`ralph loop for '${name}' has status '${view.status}'`);
  tellLoop(found.folder, 'pause');
  rewriteStateFile(swarm, name);
  appendLog(swarm.home.path, name, 'PAUSE', 'loop paused reason=manual');
  swarm.say(`paused ralph loop for ${name}`);
}

/**
 * Also of a loop that is over for a reason that can be gone: its limit, a program that was missing, failures. Without
 * `maxIterations` its limit stays as it is.
 */
export async function resumeLoop(
  swarm: Swarm,
  name: string,
  { maxIterations = null }: { readonly maxIterations?: number | null },
): Promise<void> {
  const known = withLimit(ralphNamed(swarm, name), maxIterations);
  refuseFinished(name, known);
  // "running" without a supervisor is a loop whose supervisor has died.
  if (known.view.status === 'running' && known.isSupervised) {
    if (maxIterations !== null) setLimit(swarm, name, maxIterations);
    swarm.warn(`swarm: warning: worker '${name}' is not paused`);
    return;
  }
  refuseWithoutPrompt(known);
  // Not before: a refusal changes nothing.
  if (maxIterations !== null) setLimit(swarm, name, maxIterations);
  tellLoop(known.found.folder, 'resume');
  if (known.found.isOver) continueRalph(swarm, name);
  // Looked at again: a supervisor that was leaving looks for orders after it has let go.
  const isLeft = !isSupervised(known.found);
  if (isLeft) await startSupervisor(swarm, name);
  rewriteStateFile(swarm, name);
  swarm.say(`resumed ralph loop for ${name}`);
  if (isLeft)
    swarm.say(`It runs in the background. To see how it is going, run: swarm ralph status ${quoteWord(name)}`);
}

function withLimit(known: KnownRalph, limit: number | null): KnownRalph {
  return limit === null ? known : { ...known, view: { ...known.view, max_iterations: limit } };
}

/** As a person would in the state file; the loop reads it before its next iteration. */
function setLimit(swarm: Swarm, name: string, limit: number): void {
  const { home, warn } = swarm;
  const { view } = ralphNamed(swarm, name);
  changeStateFile({ home: home.path, name, warn }, (file) => ({ ...withEdits(view, file), max_iterations: limit }));
}

function refuseFinished(name: string, { found, view }: KnownRalph): void {
  const { phase, iteration } = found.state;
  if (phase.at !== 'over') return;
  const mayContinue = canContinue(phase.ending);
  if (mayContinue && iterationsMade(iteration, phase.ending) < view.max_iterations) return;
  const hint = `It reached its limit. To continue, run: swarm ralph resume ${name} --max-iterations ${iteration * 2}`;
  throw refused(`ralph loop for '${name}' has status '${view.status}'`, 1, mayContinue ? hint : undefined);
}

/** A supervisor would give up at once. An agent that runs, or has ended unseen, is looked after without a prompt. */
function refuseWithoutPrompt({ found, view }: KnownRalph): void {
  const { state } = found;
  const { phase, iteration } = state;
  const isNext =
    phase.at === 'wait' || phase.at === 'over' || (phase.at === 'inputs' && iteration <= view.max_iterations);
  if (isNext) readPromptFile(state.data.request.promptFile);
}

/** `patience`: how long a supervisor may take to obey. */
export function ralphSide(swarmOf: () => Swarm, patience: Duration = STOPPING_TAKES_AT_MOST): RalphSide {
  const stopLoop = async (swarm: Swarm, name: string): Promise<void> => {
    const found = findRalph(swarm, name);
    if (found === null || found.isOver) return;
    tellLoop(found.folder, 'stop');
    await endWorker(swarm, name);
    // Its supervisor ends the loop; where there is none, this is its last turn.
    const deadline = performance.now() + patience;
    while (isSupervised(found)) {
      if (performance.now() > deadline) throw refused(`the supervisor of '${name}' does not obey; its agent was ended`);
      await sleep(LOOK_EVERY_MS);
    }
    const quiet = { ...swarm, say: () => undefined };
    const loop = reopenRalph(quiet, name);
    if (loop !== null) await supervise(quiet, loop, { stop: NEVER, onIteration: () => undefined });
  };
  return {
    isTurning: (name) => isTurned(swarmOf(), name),
    isUnfinished: (name) => isUnfinished(swarmOf(), name),
    refusals: ({ name }) => knownRalph(swarmOf(), name)?.view.sandbox_refusals ?? 0,
    async killed({ name }: WorkerRecord, { removeState }) {
      const swarm = swarmOf();
      const folder = ralphFolder(swarm.home.path, name);
      // A folder that was removed leaves no trace of the loop, and this would bring it back.
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
