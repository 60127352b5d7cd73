/** The agent of a loop whose turn it is, and what its runs say about when it can be started again. Pure. */
import type { Purpose } from '../action.ts';
import { overReserve } from '../budget/quota.ts';
import { LIMITS_AGENTS, type Recorded } from '../record.ts';
import type { AnyRules } from '../rules.ts';
import type { LoopState } from '../state.ts';
import {
  agentOf,
  type Fallback,
  type NextAgent,
  nextAgent,
  withDropped,
  withLimit,
  withoutLimit,
  withReserve,
} from './agent-choice.ts';

/** Another purpose may have other flags; whether the agent is free is known by those of the work. */
export function agentToStart<Data>(rules: AnyRules<Data>, state: LoopState<Data>, purpose: Purpose): NextAgent {
  const own = rules.agent(state, purpose);
  const whose = purpose === 'work' || own.isOther === true ? own : rules.agent(state, 'work');
  const next = nextAgent(whose, state.terms.fallbacks ?? [], state.unavailable, state.at);
  if (whose === own) return next;
  return { ...next, agent: next.fallback === null ? own : { ...next.agent, mode: own.mode } };
}

/** What a run says about its agent: it is limited, or has used more than it may, or neither any more. */
export function withAgentOf<Data>(
  rules: AnyRules<Data>,
  state: LoopState<Data>,
  { v, result }: Recorded,
): LoopState<Data> {
  const { worker, id, at } = state;
  if (result.kind !== 'ran' || v < LIMITS_AGENTS || worker === null) return state;
  const { outcome, quota = [] } = result;
  const isOwn = worker.fallback === null && worker.own.isOther !== true;
  const agent = isOwn ? rules.agent(state, 'work') : agentOf(worker);
  const unitMs = rules.outages?.(state.data).unitMs ?? 1000;
  const outage = { id, at, unitMs, faultsInARow: state.faultsInARow + 1 };
  if (outcome.kind === 'limit') {
    return { ...state, unavailable: withLimit(state.unavailable, agent, outcome, outage) };
  }
  const unavailable = outcome.kind === 'worked' ? withoutLimit(state.unavailable, agent) : state.unavailable;
  const { reserve = 0 } = state.terms;
  const over = overReserve(quota, reserve, at);
  if (over === null) return { ...state, unavailable };
  return { ...state, unavailable: withReserve(unavailable, agent, { ...outage, window: over, reserve }) };
}

/** One that has no login, or that cannot be started, is not asked again unless a person continues the loop. */
export function withoutFallback<Data>(state: LoopState<Data>, fallback: Fallback): LoopState<Data> {
  return { ...state, unavailable: withDropped(state.unavailable, fallback) };
}
