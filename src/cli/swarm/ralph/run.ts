/** `swarm ralph run`, and the foreground of `swarm spawn --ralph`: turns a loop until its end. */
import { once } from 'node:events';
import { readEnvironment } from '../../../config/environment.ts';
import type { WorkState } from '../../../core/closing/closing-summary.ts';
import { EXIT_INTERRUPTED } from '../../../core/ending.ts';
import { RalphError } from '../../../core/error.ts';
import type { Instant } from '../../../core/time.ts';
import { sendCommand, wantedOf } from '../../../engine/control.ts';
import { ralphClosing, ralphLine } from '../../../loops/swarm/ralph/console.ts';
import { appendLog } from '../../../loops/swarm/ralph/files.ts';
import { findRalph, ralphNamed, rewriteStateFile } from '../../../loops/swarm/ralph/find.ts';
import {
  PROMPT_PROBLEM,
  type RalphLoop,
  reopenRalph,
  type Supervising,
  supervise,
} from '../../../loops/swarm/ralph/loop.ts';
import { startSupervisor } from '../../../loops/swarm/ralph/worker.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { printable } from '../../../stream/printable.ts';
import { onSignals } from '../../terminal/signals.ts';
import { printClosing } from '../../terminal/words.ts';
import { exitCodeOf } from '../../terminal.ts';

export async function runLoop(swarm: Swarm, name: string): Promise<number> {
  const { found, view } = ralphNamed(swarm, name);
  if (!found.isOver && wantedOf(found.folder) === 'pause') {
    throw refused(`ralph loop for '${name}' is paused (use 'swarm ralph resume ${name}' first)`);
  }
  const loop = found.isOver ? null : reopenRalph(swarm, name);
  if (loop === null) throw refused(`ralph loop for '${name}' has status '${view.status}'`);
  return turnInForeground(swarm, loop);
}

/** At a signal the agent finishes and the loop is paused. A second one leaves the agent to the next supervisor. */
export async function turnInForeground(swarm: Swarm, loop: RalphLoop): Promise<number> {
  const { home, say } = swarm;
  const { name } = loop.state.data.request;
  const [stop, leave] = [new AbortController(), new AbortController()];
  const release = onSignals(() => {
    sendCommand(loop.folder, 'pause');
    rewriteStateFile(swarm, name);
    if (stop.signal.aborted) {
      leave.abort();
      return;
    }
    appendLog(home, name, 'PAUSE', 'loop paused reason=sigterm');
    say(`\n${ralphLine(name, 'received SIGTERM, pausing loop (current agent will complete)')}`);
    stop.abort();
  });
  let work: WorkState = { kind: 'unknown', reason: 'its agent still runs.' };
  const left = (seen: WorkState): void => {
    work = seen;
  };
  try {
    const isLeft = once(leave.signal, 'abort').then(() => EXIT_INTERRUPTED);
    const code = await Promise.race([turn(swarm, loop, { stop: stop.signal, left }), isLeft]);
    if (code !== null) sayClosing(name, work, swarm);
    return code ?? EXIT_INTERRUPTED;
  } finally {
    release();
  }
}

/** Null when another supervisor goes on with it. Errors are said here: above the closing lines, not below them. */
async function turn(swarm: Swarm, loop: RalphLoop, supervising: Supervising): Promise<number | null> {
  const { name } = loop.state.data.request;
  try {
    const driven = await supervise(swarm, loop, supervising);
    // The loop was resumed while its supervisor, told to leave, still waited for the agent.
    if (driven.kind === 'stopped' && wantedOf(loop.folder) === 'run') {
      await startSupervisor(swarm, name);
      swarm.say(ralphLine(name, 'resumed meanwhile, a new supervisor continues in the background'));
      return null;
    }
    if (driven.kind !== 'stopped' && driven.ending.kind === 'configuration') {
      sayError(swarm, `failed to spawn worker: ${driven.ending.reason}`, driven.ending.hint);
    }
    return exitCodeOf(driven, 'swarm');
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== PROMPT_PROBLEM) throw error;
    sayError(swarm, error.message, error.advice.hint);
    return error.advice.exitCode;
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
  const clock = (at: Instant): string => new Date(at).toLocaleTimeString();
  const closing = ralphClosing(found, { work, cwd: swarm.cwd, now: Date.now(), clock });
  printClosing(closing, swarm.say, process.stdout.isTTY && readEnvironment(swarm.env).color);
}
