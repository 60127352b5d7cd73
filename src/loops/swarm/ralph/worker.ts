/** Workers with a loop: starts their supervisor, and carries out the commands pause, resume and kill. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { Duration } from '../../../core/time.ts';
import { sendCommand } from '../../../engine/control.ts';
import { makeFolders } from '../../../process/files.ts';
import { startDetached } from '../../../process/start-detached.ts';
import { removeFolder } from '../../../state/folders.ts';
import { endWorker } from '../workers/liveness.ts';
import { refused, type Swarm, workerFiles } from '../workers/swarm.ts';
import { iterationsMade } from './closing.ts';
import { swarmConsole } from './console.ts';
import { appendLog, changeStateFile, forgetLoop, ralphFolder, withEdits } from './files.ts';
import { findRalph, isSupervised, type KnownRalph, ralphNamed, rewriteStateFile } from './find.ts';
import { continueRalph, readPromptFile, reopenRalph, supervise } from './loop.ts';
import { canResume } from './rules.ts';

/** Starts `swarm ralph run` in the background. Resolves once it runs the loop; throws its error if it ends earlier. */
export async function startSupervisor(swarm: Swarm, name: string): Promise<void> {
  const found = findRalph(swarm, name);
  if (found === null) throw refused(`worker '${name}' is not a ralph worker`);
  const { supervisorLog: log, logsFolder } = workerFiles(swarm.home, name);
  makeFolders(logsFolder, 0o700);
  const { ended, said } = await startDetached({
    argv: [...swarm.self, 'ralph', 'run', name],
    cwd: swarm.cwd,
    env: swarm.env,
    log,
    hasBegun: () => isSupervised(found),
  });
  // A quick supervisor may already have ended the loop.
  const hasTurned = findRalph(swarm, name)?.state.seq !== found.state.seq;
  if (ended !== null && !hasTurned)
    throw refused(lastError(said) ?? `the supervisor of '${name}' ended`, 1, `See ${log}`);
}

function lastError(said: string): string | undefined {
  return [...said.matchAll(/^swarm: error: (.*)$/gm)].at(-1)?.[1];
}

export function pauseLoop(swarm: Swarm, name: string): void {
  const { found, view } = ralphNamed(swarm, name);
  if (view.status === 'paused') {
    swarm.warn(`swarm: warning: worker '${name}' is already paused`);
    return;
  }
  if (found.isOver) throw refused(`ralph loop for '${name}' has status '${view.status}'`);
  sendCommand(found.folder, 'pause');
  rewriteStateFile(swarm, name);
  appendLog(swarm.home, name, 'PAUSE', 'loop paused reason=manual');
  swarm.say(`paused ralph loop for ${name}`);
}

/** Also resumes a loop whose ending can be overcome: its limit, a missing program, failures. */
export function resumeLoop(swarm: Swarm, name: string, flags: ResumeFlags): Promise<number> {
  return resumeWith(superviseInBackground, swarm, name, flags);
}

interface ResumeFlags {
  readonly maxIterations?: number;
}

/** `turn` is called if there is no supervisor. */
export async function resumeWith(
  turn: (swarm: Swarm, name: string) => Promise<number>,
  swarm: Swarm,
  name: string,
  flags: ResumeFlags,
): Promise<number> {
  const known = ralphNamed(swarm, name);
  const { found, view } = known;
  const { maxIterations: limit = view.max_iterations } = flags;
  refuseFinished(name, known, limit);
  // Edits the state file like a person would; the loop reads it before its next iteration.
  const setLimit = (): void => {
    const file = { home: swarm.home, name, warn: swarm.warn };
    if (flags.maxIterations === undefined) return;
    changeStateFile(file, (now) => ({ ...withEdits(view, now), max_iterations: limit }));
  };
  // "running" without a supervisor means that the supervisor has died.
  if (view.status === 'running' && known.isSupervised) {
    setLimit();
    swarm.warn(`swarm: warning: worker '${name}' is not paused`);
    return 0;
  }
  const { phase, iteration, data } = found.state;
  const isNext = phase.at === 'wait' || phase.at === 'over' || (phase.at === 'inputs' && iteration <= limit);
  // Without a prompt, a supervisor would give up at once. To adopt an agent that runs or has ended, it needs none.
  if (isNext) readPromptFile(data.request.promptFile);
  // Only now: a refused command must not change anything.
  setLimit();
  sendCommand(found.folder, 'resume');
  if (found.isOver) continueRalph(swarm, name);
  // Check again: a supervisor that was just ending still reads the control queue after releasing its lock.
  if (!isSupervised(found)) return turn(swarm, name);
  sayResumed(swarm, name);
  return 0;
}

async function superviseInBackground(swarm: Swarm, name: string): Promise<number> {
  await startSupervisor(swarm, name);
  sayResumed(swarm, name);
  swarm.say(`It runs in the background. To see how it is going, run: swarm ralph status ${quoteWord(name)}`);
  return 0;
}

function sayResumed(swarm: Swarm, name: string): void {
  rewriteStateFile(swarm, name);
  swarm.say(`resumed ralph loop for ${name}`);
}

function refuseFinished(name: string, { found, view }: KnownRalph, limit: number): void {
  const { phase, iteration } = found.state;
  if (phase.at !== 'over') return;
  const mayContinue = canResume(phase.ending);
  if (mayContinue && iterationsMade(iteration, phase.ending) < limit) return;
  const hint = `It reached its limit. To continue, run: swarm ralph resume ${name} --max-iterations ${iteration * 2}`;
  throw refused(`ralph loop for '${name}' has status '${view.status}'`, 1, mayContinue ? hint : undefined);
}

/** Stops the loop of a worker that is killed. `patience`: how long a supervisor may take to obey. */
export async function killLoop(swarm: Swarm, name: string, removeState: boolean, patience: Duration): Promise<void> {
  const folder = ralphFolder(swarm.home, name);
  // If a person has removed the folder to forget the loop, the steps below would create it again.
  const isForgotten = !existsSync(folder);
  const found = findRalph(swarm, name);
  if (found !== null && !found.isOver) {
    sendCommand(found.folder, { command: 'stop', now: true });
    await endWorker(swarm, name);
    // Its supervisor ends the loop; if there is none, `supervise` below does.
    const deadline = performance.now() + patience;
    while (isSupervised(found)) {
      if (performance.now() > deadline)
        throw refused(`the supervisor of '${name}' does not respond; its agent was ended`);
      await sleep(20);
    }
    const quiet = { ...swarm, say: () => undefined };
    const loop = reopenRalph(quiet, name);
    if (loop !== null) await supervise(quiet, loop, { ...swarmConsole(quiet, loop), stop: NEVER, cancel: NEVER });
  }
  if (!removeState && !isForgotten) return;
  removeFolder(folder);
  forgetLoop(swarm.home, name);
}

const NEVER = new AbortController().signal;
