/** What a loop does when an agent cannot work now: another one takes over, or the loop waits. Pure. */
import type { Purpose } from '../action.ts';
import type { Fault } from '../outcome.ts';
import type { AnyRules as Rules } from '../rules.ts';
import { end, type LoopState, nextTry, type Phase, withTryOf } from '../state.ts';
import type { Duration } from '../time.ts';
import { agentOf, type Failing, type Fallback, isLeftOut, keyOf, type Limited, nextAgent } from './agent-choice.ts';
import { agentToStart, withoutFallback } from './agent-in-turn.ts';
import { backoff } from './backoff.ts';
import { type AfterFault, afterFault, type OutagePolicy, waitUntil } from './outage.ts';

/** Waits for a fault that passes by itself, such as an overloaded service. */
export function waitOut<Data>(
  before: LoopState<Data>,
  fault: Fault,
  policy: OutagePolicy,
  hangAfter: Duration = 0,
): LoopState<Data> {
  // The time that it hung is lost like that of a wait, so it counts against the same budget.
  const lostMs = fault.kind === 'hang' ? (before.terms.hangMs ?? hangAfter) : 0;
  const state = { ...before, outageMs: before.outageMs + lostMs };
  return waiting(state, afterFault(fault, { ...state, ...outageOf(state) }, policy));
}

/** Another free agent continues the same iteration at once, which costs nothing. */
export function afterLimit<Data>(
  state: LoopState<Data>,
  fault: Fault & { kind: 'limit' },
  policy: OutagePolicy,
): LoopState<Data> {
  const { worker, terms, unavailable, at } = state;
  const counted = { ...state, faultsInARow: state.faultsInARow + 1 };
  const next = worker === null ? null : nextAgent(worker.own, terms.fallbacks ?? [], unavailable, at);
  if (worker !== null && next?.limited === null && keyOf(next.agent) !== keyOf(agentOf(worker))) {
    return { ...nextTry(state, 'work'), phase: AT_ONCE };
  }
  // According to records of older releases, no agent is known to be limited.
  if (next?.limited == null) return waiting(counted, afterFault(fault, { ...counted, ...outageOf(state) }, policy));
  return waiting(counted, waitUntil(next.limited, fault, { at, ...outageOf(state) }, policy));
}

/** A fallback that cannot work at all does not end a loop whose own agent is only limited. */
export function afterDropped<Data>(
  before: LoopState<Data>,
  purpose: Purpose,
  fallback: Fallback,
  reason: string,
): LoopState<Data> {
  const state = withoutFallback(before, fallback);
  const again = nextTry(state, purpose);
  if (purpose !== 'work') return { ...again, phase: { at: 'start', purpose } };
  // If the next agent is limited too, the loop waits for it when its turn comes.
  return { ...again, phase: { ...AT_ONCE, dropped: { agent: fallback.name, reason } } };
}

/** A fallback works in place of a limited agent: its failures use up no iteration and do not end the loop. */
export function afterFailing<Data>(before: LoopState<Data>, failing: Failing, unit?: Duration): LoopState<Data> {
  const { failures, at } = before;
  const state = { ...before, failures: failures + 1, lastFailure: failing.reason };
  const until = isLeftOut(failing) ? 'now' : at + backoff(failing.inARow, unit);
  return { ...nextTry(state, 'work'), phase: { at: 'wait', until, then: 'same-iteration' } };
}

/** An agent that is known to be limited is not started before its reset. */
export function toRun<Data>(rules: Rules<Data>, state: LoopState<Data>, purpose: Purpose): LoopState<Data> {
  const { agent, limited } = agentToStart(rules, state, purpose);
  const policy = rules.outages?.(state.data) ?? (limited?.resetAt == null ? null : FOR_A_NAMED_RESET);
  // For any other purpose, the loop's own agent is tried even if it is limited: the rules can do without the result.
  const isWaitedFor = purpose === 'work' || agent.isOther === true;
  if (!isWaitedFor || limited === null || policy === null) {
    return { ...withTryOf(state, purpose), phase: { at: 'start', purpose } };
  }
  const after = waitUntil(limited, faultOf(limited), { at: state.at, ...outageOf(state) }, policy);
  return waiting(state, after.is === 'end' ? after : { ...after, for: { ...after.for, kind: limited.by } });
}

/** Loop kinds without a policy wait for a reset that was named, and for nothing else. */
const FOR_A_NAMED_RESET: OutagePolicy = { waits: true, budgetMs: Number.POSITIVE_INFINITY, unitMs: 1000 };

const AT_ONCE = { at: 'wait', until: 'now', then: 'same-iteration' } as const;

const faultOf = ({ reason, resetAt }: Limited): Fault => ({ kind: 'limit', reason, resetAt });

const outageOf = <Data>({ outageMs, terms }: LoopState<Data>) => ({
  usedMs: outageMs,
  notAfter: terms.notAfter ?? null,
});

function waiting<Data>(state: LoopState<Data>, after: AfterFault): LoopState<Data> {
  if (after.is === 'end') return end(state, after.ending);
  const { until, chargedMs, for: reason } = after;
  const phase: Phase = { at: 'wait', until, then: 'same-iteration', for: reason };
  return { ...nextTry(state, 'work'), outageMs: state.outageMs + chargedMs, phase };
}
