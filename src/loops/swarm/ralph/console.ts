/**
 * Shows a loop as seed 000 prescribes: on the console, in `iterations.log` and in the state file. Also used without a
 * terminal, to update the files of a loop that is killed.
 */
import type { Ending } from '../../../core/ending.ts';
import { FAILURES_THAT_END_A_LOOP } from '../../../core/faults/backoff.ts';
import { exitNumber } from '../../../core/outcome.ts';
import type { Ran, Recorded } from '../../../core/record.ts';
import type { LoopState } from '../../../core/state.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { wantedOf } from '../../../engine/control.ts';
import type { LoopEvent } from '../../../engine/drive.ts';
import { printable } from '../../../stream/printable.ts';
import type { Swarm } from '../workers/swarm.ts';
import { appendLog, changeStateFile, exitReason, type LogEvent, ralphStateOf, withEdits } from './files.ts';
import { unwritten } from './find.ts';
import type { RalphLoop } from './loop.ts';
import { editable, type RalphData } from './rules.ts';

type State = LoopState<RalphData>;

export function swarmConsole({ say }: Pick<Swarm, 'say'>, loop: RalphLoop) {
  const { folder, createdAt } = loop;
  let { state, iterationStartedAt } = loop;
  const { name, home, session, secondMs } = state.data.request;
  const ralph = (text: string): void => say(ralphLine(name, text));
  let problem: string | null = null;
  /** Refusals in the current run. */
  let refusals = 0;

  /** These files are only for people: if one cannot be written, the loop continues with a warning. */
  const unwritable = new Set<string>();
  const attempt = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      const reason = unwritten(error, name);
      if (!unwritable.has(reason)) say(`swarm: warning: ${reason}`);
      unwritable.add(reason);
    }
  };
  const log = (event: LogEvent, text: string): void => attempt(() => appendLog(home, name, event, text));
  const project = (): void => {
    const view = ralphStateOf(state, { createdAt, iterationStartedAt, wanted: wantedOf(folder), refusals, problem });
    attempt(() => changeStateFile({ home, name, warn: say }, (found) => withEdits(view, found)));
  };
  const warn = (iteration: number, text: string): void => {
    log('WARN', `iteration ${iteration}: ${text}`);
    say(`swarm: warning: ${text}`);
  };
  const refused = (text: string): void => {
    refusals++;
    log('REFUSED', `iteration ${state.iteration}: ${printable(text)}`);
    ralph(`Sandbox: ${printable(text)}`);
    project();
  };
  const started = ({ iteration, data }: State, at: Instant): void => {
    iterationStartedAt = at;
    const limit = editable(data).max_iterations;
    log('START', `iteration ${iteration}/${limit}`);
    if (iteration === 1) say(spawnedLine(name, session, limit));
    else ralph(`starting iteration ${iteration}/${limit}`);
  };
  const ran = (before: State, result: Ran, took: Duration, after: State): void => {
    const { iteration } = before;
    const { outcome, endedBy, complaint } = result;
    if (complaint !== undefined) warn(iteration, printable(complaint));
    if (endedBy === 'inactivity') {
      const seconds = editable(before.data).inactivity_timeout;
      log('TIMEOUT', `iteration ${iteration} inactivity_timeout=${seconds}s`);
      ralph(`inactivity timeout (${seconds}s), restarting`);
      return;
    }
    if (outcome.kind === 'failed') {
      // An exit that was not seen is shown as unknown, never as 0.
      const exit = outcome.exit.by === 'unseen' ? 'unknown' : String(exitNumber(outcome.exit));
      const attempt = `${after.failuresInARow}/${FAILURES_THAT_END_A_LOOP}`;
      const { phase } = after;
      const waits = phase.at === 'wait' && typeof phase.until === 'number' ? (phase.until - after.at) / secondMs : null;
      log('FAIL', `iteration ${iteration} exit=${exit} attempt=${attempt} backoff=${waits ?? 0}s`);
      const failed = `iteration ${iteration} failed (exit: ${exit})`;
      if (waits !== null) ralph(`${failed}, retrying in ${waits}s (attempt ${attempt})`);
      // If this failure ends the loop, `ended` says so.
      else if (phase.at !== 'end') ralph(failed);
      return;
    }
    if (outcome.kind !== 'worked') {
      if ('reason' in outcome) warn(iteration, `${outcome.reason}; the iteration begins again`);
      return;
    }
    const parts = durationParts(took);
    log('END', `iteration ${iteration} exit=0 duration=${parts.join('')}`);
    if (endedBy === undefined) ralph(`iteration ${iteration} completed (exit: 0, duration: ${parts.join(' ')})`);
  };
  const ended = ({ iteration, usage }: State, ending: Ending): void => {
    const { refusals: count } = usage;
    if (count !== undefined) ralph(`${count} ${count === 1 ? 'refusal' : 'refusals'} by the sandbox`);
    if (ending.kind === 'done') ralph('done pattern matched, stopping loop');
    if (ending.kind === 'iteration-limit') ralph(`loop complete after ${iteration} iterations`);
    if (ending.kind === 'kept-failing') ralph(`${ending.failures} consecutive failures, stopping loop`);
    if (ending.kind === 'stopped') ralph('killed, stopping loop');
    if (ending.kind === 'infrastructure') ralph(`${ending.reason}, stopping loop`);
    log('DONE', `loop complete after ${iteration} iterations reason=${exitReason(ending)}`);
  };
  const record = ({ result, at }: Recorded, after: State): void => {
    const before = state;
    state = after;
    if (result.kind === 'interrupted' && after.phase.at === 'inputs') {
      problem = result.reason;
      log('FAIL', `iteration ${after.iteration}: ${problem}`);
    }
    if (result.kind === 'ran' || result.kind === 'started') refusals = 0;
    if (result.kind === 'started') started(after, at);
    // `Math.max`: a quick agent can end before its start is recorded.
    if (result.kind === 'ran') ran(before, result, Math.max(0, (result.endedAt ?? at) - iterationStartedAt), after);
    if (result.kind === 'waited' && result.command === 'pause') ralph('paused, waiting');
    if (result.kind === 'ended') ended(after, result.ending);
    if (result.kind !== 'inputs') project();
  };
  return {
    project,
    emit(event: LoopEvent<RalphData>): void {
      if (event.type === 'record') record(event.record, event.state);
      if (event.type !== 'progress') return;
      if (event.event.type === 'notice') warn(state.iteration, event.event.text);
      if (event.event.type === 'refusal') refused(event.event.text);
    },
  };
}

export const ralphLine = (name: string, text: string) => `[ralph] ${name}: ${text}`;

export function spawnedLine(name: string, session: string, limit: number): string {
  return `spawned ${name} (tmux: ${session}:${name}) [ralph mode: iteration 1/${limit}]`;
}

/** `42s`, `5m 42s` or `1h 15m`. */
export function durationParts(ms: Duration): string[] {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return [`${seconds}s`];
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? [`${minutes}m`, `${seconds % 60}s`] : [`${Math.floor(minutes / 60)}h`, `${minutes % 60}m`];
}
