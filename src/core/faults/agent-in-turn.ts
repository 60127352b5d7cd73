/** The agent of a loop whose turn it is, and what its runs say about when it can be started again. Pure. */
import type { Purpose } from '../action.ts';
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
} from './agent-choice.ts';

export function agentToStart<Data>(rules: AnyRules<Data>, state: LoopState<Data>, purpose: Purpose): NextAgent {
  return nextAgent(rules.agent(state, purpose), state.terms.fallbacks ?? [], state.unavailable, state.at);
}

/** What a run says about its agent: it is limited, or it is so no more. */
export function withAgentOf<Data>(
  rules: AnyRules<Data>,
  state: LoopState<Data>,
  { v, result }: Recorded,
): LoopState<Data> {
  if (result.kind !== 'ran' || v < LIMITS_AGENTS) return state;
  const { outcome } = result;
  const { unavailable, worker, id, at } = state;
  const isKnown = Object.keys(unavailable).length > 0;
  if (worker === null || (outcome.kind !== 'limit' && !(outcome.kind === 'worked' && isKnown))) return state;
  const agent = agentOf(worker);
  if (outcome.kind === 'worked') return { ...state, unavailable: withoutLimit(unavailable, agent) };
  const unitMs = rules.outages?.(state.data).unitMs ?? 1000;
  const outage = { id, at, unitMs, faultsInARow: state.faultsInARow + 1 };
  return { ...state, unavailable: withLimit(unavailable, agent, outcome, outage) };
}

/** One that has no login, or that cannot be started, is not asked again unless a person continues the loop. */
export function withoutFallback<Data>(state: LoopState<Data>, fallback: Fallback): LoopState<Data> {
  return { ...state, unavailable: withDropped(state.unavailable, fallback) };
}
