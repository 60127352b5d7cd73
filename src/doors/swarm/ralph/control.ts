/** Pausing, resuming and stopping a loop from outside: an order, and whoever turns the loop obeys it. */
import type { Environment } from '../../../config/environment.ts';
import { giveOrder } from '../../../engine/orders.ts';
import { refused, type Swarm } from '../workers/swarm.ts';
import { appendLog } from './iterations-log.ts';
import { type FoundRalph, findRalph, isSupervised } from './loop.ts';
import { changeRalphState, type RalphState, readRalphState } from './state-file.ts';

export function pauseLoop(name: string, swarm: Swarm, environment: Environment): void {
  const { state, found } = loopOr(name, swarm, environment);
  if (state.status === 'paused') {
    swarm.warn(`swarm: warning: worker '${name}' is already paused`);
    return;
  }
  refuseOver(name, state, found);
  giveOrder(found.folder, 'pause');
  changeRalphState(swarm.home.path, name, (now) => ({ ...(now ?? state), status: 'paused' }));
  appendLog(swarm.home.path, name, Date.now(), { event: 'PAUSE', reason: 'manual' });
  swarm.say(`paused ralph loop for ${name}`);
}

/** `startSupervisor` is called when nobody turns the loop. */
export function resumeLoop(name: string, swarm: Swarm, environment: Environment, startSupervisor: () => void): void {
  const { state, found } = loopOr(name, swarm, environment);
  refuseOver(name, state, found);
  const supervised = isSupervised(found, environment);
  // "running" without anybody who turns it is a loop whose supervisor has died.
  if (state.status === 'running' && supervised) {
    swarm.warn(`swarm: warning: worker '${name}' is not paused`);
    return;
  }
  giveOrder(found.folder, 'run');
  changeRalphState(swarm.home.path, name, (now) => ({ ...(now ?? state), status: 'running' }));
  swarm.say(`resumed ralph loop for ${name}`);
  if (!supervised) startSupervisor();
}

interface KnownLoop {
  readonly state: RalphState;
  readonly found: FoundRalph;
}

function loopOr(name: string, { home, warn }: Swarm, environment: Environment): KnownLoop {
  const state = readRalphState(home.path, name, warn);
  const found = findRalph(home.path, name, environment);
  if (state === null || found === null) throw refused(`worker '${name}' is not a ralph worker`);
  return { state, found };
}

/** A loop that failed because its prompt file was gone, say, is not over. */
function refuseOver(name: string, { status }: RalphState, { isOver }: FoundRalph): void {
  if (isOver) throw refused(`ralph loop for '${name}' has status '${status}'`);
}
