/** Pausing, resuming and stopping a loop from outside: an order, and whoever turns the loop obeys it. */
import type { Environment } from '../../../config/environment.ts';
import { canContinue } from '../../../core/ending.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import { tellLoop } from '../../../engine/control.ts';
import { refused, type Swarm } from '../workers/swarm.ts';
import { iterationsMade } from './closing.ts';
import { isSupervised, type KnownRalph, knownRalphOr, rewriteStateFile } from './find.ts';
import { readPromptFile } from './inputs.ts';
import { appendLog } from './iterations-log.ts';
import { continueRalph } from './loop.ts';
import { changeStateFile, withEdits } from './state-file.ts';

export function pauseLoop(name: string, swarm: Swarm, environment: Environment): void {
  const known = knownRalphOr(name, swarm, environment);
  if (known.view.status === 'paused') {
    swarm.warn(`swarm: warning: worker '${name}' is already paused`);
    return;
  }
  refuseOver(name, known);
  tellLoop(known.found.folder, 'pause');
  rewriteStateFile(name, swarm, environment);
  appendLog(swarm.home.path, name, Date.now(), { event: 'PAUSE', reason: 'manual' });
  swarm.say(`paused ralph loop for ${name}`);
}

export interface Resuming {
  /** The new limit; null leaves it as it is. */
  readonly maxIterations: number | null;
  /** Called when nobody turns the loop. */
  startSupervisor(): Promise<void>;
}

/** Also of a loop that is over for a reason that can be gone: its limit, a program that was missing, failures. */
export async function resumeLoop(
  name: string,
  swarm: Swarm,
  environment: Environment,
  { maxIterations, startSupervisor }: Resuming,
): Promise<void> {
  const known = withLimit(knownRalphOr(name, swarm, environment), maxIterations);
  refuseFinished(name, known);
  // "running" without anybody who turns it is a loop whose supervisor has died.
  if (known.view.status === 'running' && known.isSupervised) {
    if (maxIterations !== null) setLimit(name, maxIterations, swarm, environment);
    swarm.warn(`swarm: warning: worker '${name}' is not paused`);
    return;
  }
  refuseWithoutPrompt(known);
  // Not before: a refusal changes nothing.
  if (maxIterations !== null) setLimit(name, maxIterations, swarm, environment);
  tellLoop(known.found.folder, 'resume');
  if (known.found.isOver) continueRalph(swarm.home.path, name, { environment, warn: swarm.warn });
  // Looked at again: one who was leaving looks for orders after it has let go.
  const isLeft = !isSupervised(known.found);
  if (isLeft) await startSupervisor();
  rewriteStateFile(name, swarm, environment);
  swarm.say(`resumed ralph loop for ${name}`);
  if (isLeft)
    swarm.say(`It runs in the background. To see how it is going, run: swarm ralph status ${quoteWord(name)}`);
}

function withLimit(known: KnownRalph, limit: number | null): KnownRalph {
  return limit === null ? known : { ...known, view: { ...known.view, max_iterations: limit } };
}

/** As a person would in the state file; the loop reads it before its next iteration. */
function setLimit(name: string, limit: number, { home, warn }: Swarm, environment: Environment): void {
  const { view } = knownRalphOr(name, { home, warn }, environment);
  changeStateFile({ home: home.path, name, warn }, (file) => ({ ...withEdits(view, file), max_iterations: limit }));
}

function refuseFinished(name: string, known: KnownRalph): void {
  const { phase, iteration } = known.found.state;
  if (phase.at !== 'over') return;
  if (!canContinue(phase.ending)) refuseOver(name, known);
  if (iterationsMade(iteration, phase.ending) < known.view.max_iterations) return;
  const hint = `It reached its limit. To continue, run: swarm ralph resume ${name} --max-iterations ${iteration * 2}`;
  throw refused(`ralph loop for '${name}' has status '${known.view.status}'`, 1, hint);
}

function refuseOver(name: string, { found, view }: KnownRalph): void {
  if (found.isOver) throw refused(`ralph loop for '${name}' has status '${view.status}'`);
}

/** A supervisor would give up at once. An agent that runs, or has ended unseen, is looked after without a prompt. */
function refuseWithoutPrompt({ found, view }: KnownRalph): void {
  const { state } = found;
  const { phase, iteration } = state;
  const isNext =
    phase.at === 'wait' || phase.at === 'over' || (phase.at === 'inputs' && iteration <= view.max_iterations);
  if (isNext) readPromptFile(state.data.request.promptFile);
}
