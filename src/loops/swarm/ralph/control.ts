/** Pausing and resuming a loop from outside: an order, which its supervisor obeys. */
import { canContinue } from '../../../core/ending.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import { tellLoop } from '../../../engine/control.ts';
import { refused, type Swarm } from '../workers/swarm.ts';
import { iterationsMade } from './closing.ts';
import { isSupervised, type KnownRalph, ralphNamed, rewriteStateFile } from './find.ts';
import { readPromptFile } from './inputs.ts';
import { appendLog } from './iterations-log.ts';
import { continueRalph } from './loop.ts';
import { changeStateFile, withEdits } from './state-file.ts';
import { startSupervisor } from './worker.ts';

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
