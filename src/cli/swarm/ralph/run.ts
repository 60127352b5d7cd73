/** `swarm ralph run`, and the foreground of `swarm spawn --ralph`: turns a loop until its end. */
import { type Environment, readEnvironment } from '../../../config/environment.ts';
import { EXIT_INTERRUPTED } from '../../../core/ending.ts';
import { knownRalphOr, rewriteStateFile } from '../../../doors/swarm/ralph/find.ts';
import { appendLog } from '../../../doors/swarm/ralph/iterations-log.ts';
import { type RalphLoop, reopenRalph } from '../../../doors/swarm/ralph/loop.ts';
import { saysFor } from '../../../doors/swarm/ralph/say.ts';
import { startSupervisor, superviseWorker } from '../../../doors/swarm/ralph/worker.ts';
import { refused, type Swarm } from '../../../doors/swarm/workers/swarm.ts';
import type { Driven } from '../../../engine/drive.ts';
import { giveOrder, readOrder } from '../../../engine/orders.ts';

export async function runLoop(swarm: Swarm, name: string, release: string): Promise<number> {
  const environment = readEnvironment(swarm.env);
  const { found, view } = knownRalphOr(name, swarm, environment);
  const { status } = view;
  if (found.isOver) throw refused(`ralph loop for '${name}' has status '${status}'`);
  if (readOrder(found.folder) === 'pause') {
    throw refused(`ralph loop for '${name}' is paused (use 'swarm ralph resume ${name}' first)`);
  }
  const loop = reopenRalph(swarm.home.path, name, { environment, warn: swarm.warn });
  if (loop === null) throw refused(`ralph loop for '${name}' has status '${status}'`);
  return turnInForeground(swarm, loop, release);
}

export async function turnInForeground(swarm: Swarm, loop: RalphLoop, release: string): Promise<number> {
  const environment = readEnvironment(swarm.env);
  const signals = pauseOnSignal(swarm, loop, environment);
  const turn = async (): Promise<number> => {
    const driven = await superviseWorker(swarm, loop, { environment, release, stop: signals.stop, say: swarm.say });
    if (driven.kind === 'stopped') await handOver(swarm, loop, environment);
    return exitCodeOf(driven);
  };
  try {
    return await Promise.race([turn(), signals.left]);
  } finally {
    signals.release();
  }
}

/** Somebody resumed the loop while its supervisor, told to leave, still waited for the agent. */
async function handOver(swarm: Swarm, { folder, state }: RalphLoop, environment: Environment): Promise<void> {
  if (readOrder(folder) !== 'run') return;
  const { name } = state.data.request;
  await startSupervisor(swarm, name, environment);
  swarm.say(saysFor(name).handedOver());
}

interface Signals {
  readonly stop: AbortSignal;
  /** The exit code, once somebody does not want to wait for the agent. */
  readonly left: Promise<number>;
  release(): void;
}

/** The agent finishes, the loop is paused. A second signal leaves the agent to whoever resumes the loop. */
function pauseOnSignal(swarm: Swarm, loop: RalphLoop, environment: Environment): Signals {
  const { home, say } = swarm;
  const { name } = loop.state.data.request;
  const stop = new AbortController();
  let leave: (code: number) => void;
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const onSignal = (): void => {
    giveOrder(loop.folder, 'pause');
    rewriteStateFile(name, swarm, environment);
    if (stop.signal.aborted) {
      leave(EXIT_INTERRUPTED);
      return;
    }
    appendLog(home.path, name, Date.now(), { event: 'PAUSE', reason: 'sigterm' });
    say(`\n${saysFor(name).terminated()}`);
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    stop: stop.signal,
    left,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function exitCodeOf(driven: Driven): number {
  if (driven.kind === 'stopped') return EXIT_INTERRUPTED;
  const { ending } = driven;
  if (ending.kind === 'configuration') throw refused(`failed to spawn worker: ${ending.reason}`);
  return ending.kind === 'done' || ending.kind === 'iteration-limit' ? 0 : 1;
}
