/** What every loop kind says before an action: which agent takes over, what is asked, what a long wait is for. */
import { readEnvironment } from '../../config/environment.ts';
import { humanDuration } from '../../core/closing/closing-summary.ts';
import { agentOf, isLeftOut, keyOf, nameOf } from '../../core/faults/agent-choice.ts';
import { failingFallback } from '../../core/faults/agent-in-turn.ts';
import type { OutageWait } from '../../core/faults/outage.ts';
import { questionOf } from '../../core/state.ts';
import type { LoopEvent } from '../../engine/drive.ts';
import { loopIds } from '../../state/registry.ts';
import { shortNames } from '../../state/short-names.ts';
import { printable } from '../../stream/printable.ts';
import { clockTime } from './words.ts';

type ActionEvent<Data> = LoopEvent<Data> & { type: 'action' };

export function turnLines<Data>(event: ActionEvent<Data>): string[] {
  return [...switchLines(event), ...questionLines(event), ...waitLines(event)];
}

/** Which agent takes over from which, and which one cannot be used. */
function switchLines<Data>({ action, state }: ActionEvent<Data>): string[] {
  const { phase, worker, unavailable } = state;
  if (action.do === 'wait' && phase.at === 'wait' && phase.dropped !== undefined) {
    const { agent, reason } = phase.dropped;
    return [printable(`${agent} cannot be used (${reason}); it is left out from now on`)];
  }
  if (worker === null || worker.own.isOther === true) return [];
  const failing = failingFallback(state);
  // Said in the wait that follows its run, not in a later one for the limit of another agent.
  if (failing !== null && isLeftOut(failing) && phase.at === 'wait' && phase.for === undefined) {
    const failed = `${worker.fallback?.name} failed ${failing.inARow} times in a row (${failing.reason})`;
    return [
      printable(`${failed}; it is left out until ${nameOf({ agent: worker.own, fallback: null })} has worked again`),
    ];
  }
  if (action.do !== 'start') return [];
  const before = { agent: agentOf(worker), fallback: worker.fallback };
  const next = action.fallback ?? nameOf({ agent: action.agent, fallback: null });
  if (nameOf(before) === next || action.run.purpose !== 'work') return [];
  const why = unavailable[keyOf(before.agent)];
  if (why?.is !== 'limited' || why.until <= state.at) return [`Continuing with ${printable(next)}`];
  const how = why.by === 'limit' ? 'is limited' : 'has reached its reserve';
  return [printable(`${nameOf(before)} ${how} until ${clockTime(why.until)}; continuing with ${next}`)];
}

function questionLines<Data>({ action, state }: ActionEvent<Data>): string[] {
  const question = action.do === 'wait' ? questionOf(state) : null;
  if (question === null) return [];
  const { id } = state;
  // Its name in `ralph ls`.
  const name = shortNames([...loopIds(readEnvironment().root), id]).get(id) ?? id;
  return [printable(`The agent asks: ${question}`), `To answer, run: ralph answer ${name} "…"`];
}

/** What a wait of minutes or hours is for, and how to leave it. */
function waitLines<Data>({ action, state }: ActionEvent<Data>): string[] {
  const { phase } = state;
  if (action.do !== 'wait' || phase.at !== 'wait' || typeof phase.until !== 'number') return [];
  const ms = Math.max(0, phase.until - Date.now());
  const when = `${clockTime(phase.until)} (in ${humanDuration(ms)})`;
  if (phase.then === 'first-iteration') return [`Starts at ${when}.`];
  if (phase.for === undefined || ms < SHORT_WAIT_MS) return [];
  const what = WAITS_FOR[phase.for.kind] ?? 'Waiting for the service';
  const why = phase.for.kind === 'reserve' ? [printable(`The agent has used enough: ${phase.for.reason}.`)] : [];
  return [...why, `${what} until ${when}. Ctrl-C leaves the loop; ralph resume continues it.`];
}

const WAITS_FOR: Readonly<Partial<Record<OutageWait['kind'], string>>> = {
  limit: 'Waiting for the usage limit',
  reserve: 'Keeping the rest of the usage window free (--reserve)',
};

/** A wait of seconds is over before anyone has read a line about it. */
const SHORT_WAIT_MS = 60_000;
