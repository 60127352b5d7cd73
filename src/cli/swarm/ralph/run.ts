/** `swarm ralph run`, and the foreground of `swarm spawn --ralph`: turns a loop until its end. */
import { readEnvironment } from '../../../config/environment.ts';
import { EXIT_INTERRUPTED } from '../../../core/ending.ts';
import { appendLog } from '../../../doors/swarm/ralph/iterations-log.ts';
import { findRalph, type RalphLoop, reopenRalph } from '../../../doors/swarm/ralph/loop.ts';
import { saysFor } from '../../../doors/swarm/ralph/say.ts';
import { superviseWorker } from '../../../doors/swarm/ralph/worker.ts';
import { refused, type Swarm } from '../../../doors/swarm/workers/swarm.ts';
import type { Driven } from '../../../engine/drive.ts';
import { giveOrder, readOrder } from '../../../engine/orders.ts';
import { ralphStateOr } from './status.ts';

export async function runLoop(swarm: Swarm, name: string, release: string): Promise<number> {
  const environment = readEnvironment(swarm.env);
  const { status } = ralphStateOr(name, swarm);
  const found = findRalph(swarm.home.path, name, environment);
  if (found === null || found.isOver) throw refused(`ralph loop for '${name}' has status '${status}'`);
  if (readOrder(found.folder) === 'pause') {
    throw refused(`ralph loop for '${name}' is paused (use 'swarm ralph resume ${name}' first)`);
  }
  const loop = reopenRalph(swarm.home.path, name, { environment, warn: swarm.warn });
  if (loop === null) throw refused(`ralph loop for '${name}' has status '${status}'`);
  return turnInForeground(swarm, loop, release);
}

export async function turnInForeground(swarm: Swarm, loop: RalphLoop, release: string): Promise<number> {
  const environment = readEnvironment(swarm.env);
  const signals = pauseOnSignal(swarm, loop);
  try {
    const turned = superviseWorker(swarm, loop, { environment, release, stop: signals.stop, say: swarm.say });
    return await Promise.race([turned.then(exitCodeOf), signals.left]);
  } finally {
    signals.release();
  }
}

interface Signals {
  readonly stop: AbortSignal;
  /** The exit code, once somebody does not want to wait for the agent. */
  readonly left: Promise<number>;
  release(): void;
}

/** The agent finishes, the loop is paused. A second signal leaves the agent to whoever resumes the loop. */
function pauseOnSignal({ home, say }: Swarm, loop: RalphLoop): Signals {
  const { name } = loop.state.data.request;
  const stop = new AbortController();
  let leave: (code: number) => void;
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const onSignal = (): void => {
    if (stop.signal.aborted) {
      leave(EXIT_INTERRUPTED);
      return;
    }
    giveOrder(loop.folder, 'pause');
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
