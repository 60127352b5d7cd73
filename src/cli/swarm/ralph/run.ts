/** `swarm ralph run`, and the foreground of `swarm spawn --ralph`: drives a loop until its end. */
import { readEnvironment } from '../../../config/environment.ts';
import type { WorkState } from '../../../core/closing/closing-summary.ts';
import { isOver, type LoopState } from '../../../core/state.ts';
import { quoteWords } from '../../../core/text/quote-word.ts';
import type { Instant } from '../../../core/time.ts';
import { sendCommand, wantedOf } from '../../../engine/control.ts';
import { ralphClosing } from '../../../loops/swarm/ralph/closing.ts';
import { ralphLine, swarmConsole } from '../../../loops/swarm/ralph/console.ts';
import { appendLog } from '../../../loops/swarm/ralph/files.ts';
import { findRalph, ralphNamed, rewriteStateFile } from '../../../loops/swarm/ralph/find.ts';
import { type RalphLoop, reopenRalph, supervise } from '../../../loops/swarm/ralph/loop.ts';
import { editable, type RalphData } from '../../../loops/swarm/ralph/rules.ts';
import { startSupervisor } from '../../../loops/swarm/ralph/worker.ts';
import { windowOf } from '../../../loops/swarm/workers/liveness.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { alwaysReady } from '../../../process/follow.ts';
import { printable } from '../../../stream/printable.ts';
import { lineWidth } from '../../terminal/line-width.ts';
import { type LiveOutput, liveOutput } from '../../terminal/live-output.ts';
import type { StatusWords } from '../../terminal/live-status.ts';
import { answerSignals, type Signals } from '../../terminal/signals.ts';
import { printClosing } from '../../terminal/words.ts';
import { inTerminal, type LoopConsole, type TerminalOptions, thisTerminal } from '../../terminal.ts';

export async function runLoop(swarm: Swarm, name: string): Promise<number> {
  const { found, view } = ralphNamed(swarm, name);
  if (!found.isOver && wantedOf(found.folder) === 'pause') {
    throw refused(`ralph loop for '${name}' is paused (use 'swarm ralph resume ${name}' first)`);
  }
  const loop = found.isOver ? null : reopenRalph(swarm, name);
  if (loop === null) throw refused(`ralph loop for '${name}' has status '${view.status}'`);
  return turnInForeground(swarm, loop);
}

/** On the first signal, the agent finishes and the loop is paused; the second one ends the agent. */
export function turnInForeground(given: Swarm, loop: RalphLoop): Promise<number> {
  const { name } = loop.state.data.request;
  const terminal = thisTerminal(readEnvironment(given.env));
  const live = liveOutput(terminal, (line) => given.warn(ralphLine(name, line)));
  const swarm = aboveStatus(given, live, terminal);
  const { say } = swarm;
  const { emit, project } = swarmConsole(swarm, loop);
  let isPaneShown = false;
  const show: typeof emit = (event) => {
    emit(event);
    if (isPaneShown || event.type !== 'record' || event.record.result.kind !== 'started') return;
    isPaneShown = true;
    const socket = windowOf(swarm.home, name)?.address.socketPath;
    const { session } = loop.state.data.request;
    if (socket !== undefined)
      say(ralphLine(name, `to attach: ${quoteWords(['tmux', '-S', socket, 'attach-session', '-t', session])}`));
  };
  let isContinued = false;
  const close: LoopConsole<RalphData>['close'] = (driven, state, work) => {
    if (isContinued) return;
    if (driven.kind === 'ended' && driven.ending.kind === 'configuration') sayProblem(swarm, driven.ending, state);
    sayClosing(name, work, swarm);
  };
  const console = { show, tell: say, ready: alwaysReady, close, live, words: STATUS_WORDS };
  return inTerminal('swarm', console, pausingSignals(swarm, loop), async (ports) => {
    const driven = await supervise(swarm, loop, { ...ports, project });
    // The loop was resumed while this supervisor, which was told to leave, still waited for the agent.
    isContinued = driven.kind === 'stopped' && wantedOf(loop.folder) === 'run';
    if (isContinued) {
      await startSupervisor(swarm, name);
      say(ralphLine(name, 'resumed in the meantime, a new supervisor continues in the background'));
    }
    return driven;
  });
}

/** The agent prints in its window, not here. */
const STATUS_WORDS: StatusWords<RalphData> = { limit: (data) => editable(data).max_iterations, isHeard: false };

function aboveStatus(swarm: Swarm, { above }: LiveOutput, { stdout, stderr }: TerminalOptions): Swarm {
  return {
    ...swarm,
    say: (line) => void stdout.write(above(stdout, `${line}\n`)),
    warn: (line) => void stderr.write(above(stderr, `${line}\n`)),
  };
}

/** The second signal pauses the loop, too, because it may have been resumed since the first. */
function pausingSignals(swarm: Swarm, { folder, state }: RalphLoop): Signals {
  const { name } = state.data.request;
  const pause = (text: string, log?: string): void => {
    sendCommand(folder, 'pause');
    rewriteStateFile(swarm, name);
    if (log !== undefined) appendLog(swarm.home, name, 'PAUSE', log);
    swarm.say(`\n${ralphLine(name, text)}`);
  };
  const first = (): void =>
    pause('received SIGTERM, pausing loop (current agent will complete)', 'loop paused reason=sigterm');
  return answerSignals({ first, closed: first, second: () => pause('received a second signal, ending the agent now') });
}

/** If the loop is not over, it was left because its prompt file is missing. */
function sayProblem({ warn }: Swarm, { reason, hint }: { reason: string; hint?: string }, state: LoopState<RalphData>) {
  warn(printable(`swarm: error: ${isOver(state) ? 'failed to spawn worker: ' : ''}${reason}`));
  if (hint !== undefined) warn(printable(`swarm: ${hint}`));
}

/** Taken from the journal, like everything that is said about a loop. */
function sayClosing(name: string, work: WorkState, swarm: Swarm): void {
  const found = findRalph(swarm, name);
  if (found === null) return;
  const clock = (at: Instant): string => new Date(at).toLocaleTimeString();
  const closing = ralphClosing(found, work, swarm.cwd, clock);
  const { color, stdout } = thisTerminal(readEnvironment(swarm.env));
  printClosing(closing, swarm.say, color, { width: lineWidth(stdout) });
}
