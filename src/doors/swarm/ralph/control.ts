/** Pausing, resuming and stopping a loop from outside: an order, and whoever turns the loop obeys it. */
import type { Environment } from '../../../config/environment.ts';
import { giveOrder } from '../../../engine/orders.ts';
import { refused, type Swarm } from '../workers/swarm.ts';
import { isSupervised, type KnownRalph, knownRalphOr, rewriteStateFile } from './find.ts';
import { readPromptFile } from './inputs.ts';
import { appendLog } from './iterations-log.ts';

export function pauseLoop(name: string, swarm: Swarm, environment: Environment): void {
  const known = knownRalphOr(name, swarm, environment);
  if (known.view.status === 'paused') {
    swarm.warn(`swarm: warning: worker '${name}' is already paused`);
    return;
  }
  refuseOver(name, known);
  giveOrder(known.found.folder, 'pause');
  rewriteStateFile(name, swarm, environment);
  appendLog(swarm.home.path, name, Date.now(), { event: 'PAUSE', reason: 'manual' });
  swarm.say(`paused ralph loop for ${name}`);
}

/** `startSupervisor` is called when nobody turns the loop. */
export async function resumeLoop(
  name: string,
  swarm: Swarm,
  environment: Environment,
  startSupervisor: () => Promise<void>,
): Promise<void> {
  const known = knownRalphOr(name, swarm, environment);
  refuseOver(name, known);
  // "running" without anybody who turns it is a loop whose supervisor has died.
  if (known.view.status === 'running' && known.isSupervised) {
    swarm.warn(`swarm: warning: worker '${name}' is not paused`);
    return;
  }
  refuseWithoutPrompt(known);
  giveOrder(known.found.folder, 'run');
  // Looked at again: one who was leaving looks for orders after it has let go.
  if (!isSupervised(known.found)) await startSupervisor();
  rewriteStateFile(name, swarm, environment);
  swarm.say(`resumed ralph loop for ${name}`);
}

function refuseOver(name: string, { found, view }: KnownRalph): void {
  if (found.isOver) throw refused(`ralph loop for '${name}' has status '${view.status}'`);
}

/** A supervisor would give up at once. An agent that runs, or has ended unseen, is looked after without a prompt. */
function refuseWithoutPrompt({ found, view }: KnownRalph): void {
  const { state } = found;
  const isNext = state.phase.at === 'wait' || (state.phase.at === 'inputs' && state.iteration <= view.max_iterations);
  if (isNext) readPromptFile(state.data.request.promptFile);
}
