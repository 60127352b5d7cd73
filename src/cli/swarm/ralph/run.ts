/** `swarm ralph run`, and the foreground of `swarm spawn --ralph`: turns a loop until its end. */
import { readEnvironment } from '../../../config/environment.ts';
import type { WorkState } from '../../../core/closing-summary.ts';
import { EXIT_INTERRUPTED } from '../../../core/ending.ts';
import { RalphError } from '../../../core/error.ts';
import { tellLoop, wantedOf } from '../../../engine/control.ts';
import type { Driven } from '../../../engine/drive.ts';
import { ralphClosing } from '../../../loops/swarm/ralph/closing.ts';
import { ralphLine } from '../../../loops/swarm/ralph/console.ts';
import { findRalph, ralphNamed, rewriteStateFile } from '../../../loops/swarm/ralph/find.ts';
import { PROMPT_PROBLEM } from '../../../loops/swarm/ralph/inputs.ts';
import { appendLog } from '../../../loops/swarm/ralph/iterations-log.ts';
import { type RalphLoop, reopenRalph } from '../../../loops/swarm/ralph/loop.ts';
import { startSupervisor, superviseWorker } from '../../../loops/swarm/ralph/worker.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { printable } from '../../../stream/printable.ts';
import { closingPrinter } from '../../closing-printer.ts';
import { exitCodeOf } from '../../terminal.ts';

export async function runLoop(swarm: Swarm, name: string): Promise<number> {
  const { found, view } = ralphNamed(swarm, name);
  const { status } = view;
  if (found.isOver) throw refused(`ralph loop for '${name}' has status '${status}'`);
  if (wantedOf(found.folder) === 'pause') {
    throw refused(`ralph loop for '${name}' is paused (use 'swarm ralph resume ${name}' first)`);
  }
  const loop = reopenRalph(swarm, name);
  if (loop === null) throw refused(`ralph loop for '${name}' has status '${status}'`);
  return turnInForeground(swarm, loop);
}

export async function turnInForeground(swarm: Swarm, loop: RalphLoop): Promise<number> {
  const signals = pauseOnSignal(swarm, loop);
  const { name } = loop.state.data.request;
  let work: WorkState = { kind: 'unknown', reason: 'its agent still runs.' };
  const left = (seen: WorkState): void => {
    work = seen;
  };
  const turn = async (): Promise<number> => {
    const driven = await superviseWorker(swarm, loop, { stop: signals.stop, left });
    if (driven.kind === 'stopped' && (await handedOver(swarm, loop))) return EXIT_INTERRUPTED;
    saySpawnFailure(swarm, driven);
    sayClosing(name, work, swarm);
    return exitCodeOf(driven, 'swarm');
  };
  const leave = async (): Promise<number> => {
    const code = await signals.left;
    sayClosing(name, work, swarm);
    return code;
  };
  try {
    return await Promise.race([turn(), leave()]);
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== PROMPT_PROBLEM) throw error;
    // Above the closing lines, not below them.
    sayError(swarm, error.message, error.advice.hint);
    sayClosing(name, work, swarm);
    return error.advice.exitCode;
  } finally {
    signals.release();
  }
}

function sayError({ warn }: Swarm, message: string, hint?: string): void {
  warn(printable(`swarm: error: ${message}`));
  if (hint !== undefined) warn(printable(`swarm: ${hint}`));
}

/** From the journal, as everything that is said of a loop. */
function sayClosing(name: string, work: WorkState, swarm: Swarm): void {
  const found = findRalph(swarm, name);
  if (found === null) return;
  const { cwd } = swarm;
  const say = closingPrinter(swarm.say, process.stdout.isTTY && readEnvironment(swarm.env).color);
  say(ralphClosing(found, { work, cwd, now: Date.now(), clock: (at) => new Date(at).toLocaleTimeString() }));
}

/** The loop was resumed while its supervisor, told to leave, still waited for the agent. */
async function handedOver(swarm: Swarm, { folder, state }: RalphLoop): Promise<boolean> {
  if (wantedOf(folder) !== 'run') return false;
  const { name } = state.data.request;
  await startSupervisor(swarm, name);
  swarm.say(ralphLine(name, 'resumed meanwhile, a new supervisor continues in the background'));
  return true;
}

interface Signals {
  readonly stop: AbortSignal;
  /** The exit code, once the agent is not waited for any more. */
  readonly left: Promise<number>;
  release(): void;
}

/** The agent finishes, the loop is paused. A second signal leaves the agent to the next supervisor. */
function pauseOnSignal(swarm: Swarm, loop: RalphLoop): Signals {
  const { home, say } = swarm;
  const { name } = loop.state.data.request;
  const stop = new AbortController();
  let leave: (code: number) => void;
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const onSignal = (): void => {
    tellLoop(loop.folder, 'pause');
    rewriteStateFile(swarm, name);
    if (stop.signal.aborted) {
      leave(EXIT_INTERRUPTED);
      return;
    }
    appendLog(home.path, name, Date.now(), { event: 'PAUSE', reason: 'sigterm' });
    say(`\n${ralphLine(name, 'received SIGTERM, pausing loop (current agent will complete)')}`);
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

/** Above the closing lines. */
function saySpawnFailure(swarm: Swarm, driven: Driven): void {
  if (driven.kind === 'stopped' || driven.ending.kind !== 'configuration') return;
  const { reason, hint } = driven.ending;
  sayError(swarm, `failed to spawn worker: ${reason}`, hint);
}
