/** Which of a loop's agents starts next, and what its runs say about when it can be started again. Pure. */
import type { AgentChoice, Purpose } from '../action.ts';
import { overReserve, type QuotaNews } from '../budget/quota.ts';
import { describeFailure } from '../outcome.ts';
import { LIMITS_AGENTS, type Recorded, SPARES_FALLBACKS } from '../record.ts';
import type { AnyRules } from '../rules.ts';
import type { LoopState } from '../state.ts';
import {
  agentOf,
  type Failing,
  type Fallback,
  isKnownToBeKept,
  keyOf,
  type NextAgent,
  nextAgent,
  programOf,
  type UnavailableAgents,
  type Worker,
  withDropped,
  withFailing,
  withLimit,
  withoutFailing,
  withoutLimit,
  withReserve,
} from './agent-choice.ts';

/** Another purpose may have other flags; whether the agent is free is recorded under those of the work. */
export function agentToStart<Data>(rules: AnyRules<Data>, state: LoopState<Data>, purpose: Purpose): NextAgent {
  const own = rules.agent(state, purpose);
  const whose = purpose === 'work' || own.isOther === true ? own : rules.agent(state, 'work');
  const next = nextAgent(whose, state.terms.fallbacks ?? [], state.unavailable, state.at);
  if (whose === own) return next;
  return { ...next, agent: next.fallback === null ? own : { ...next.agent, mode: own.mode } };
}

/** What a run says about its agent: it is limited, has used more than it may, is failing, or is available again. */
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
  const isFailure = v >= SPARES_FALLBACKS && outcome.kind === 'failed' && worker.fallback !== null;
  if (isFailure && state.phase.at === 'await' && state.phase.purpose === 'work') {
    return { ...state, unavailable: withFailing(state.unavailable, agent, describeFailure(result)) };
  }
  const unavailable = outcome.kind === 'worked' ? afterWork(state.unavailable, agent, worker) : state.unavailable;
  const { reserve = 0 } = state.terms;
  const over = overReserve(quota, reserve, at);
  if (over === null) return { ...state, unavailable };
  return { ...state, unavailable: withReserve(unavailable, agent, { ...outage, window: over, reserve }) };
}

/** Applies what was reported elsewhere. If several agents are the same program, it applies to the first of them. */
export function withQuotaNews<Data>(
  rules: AnyRules<Data>,
  state: LoopState<Data>,
  news: readonly QuotaNews[],
): LoopState<Data> {
  const { id, at, terms } = state;
  const { reserve = 0, fallbacks = [] } = terms;
  if (news.length === 0 || reserve === 0) return state;
  const own = rules.agent(state, 'work');
  const agents = [own, ...fallbacks.map(({ command, flags }) => ({ command, flags, mode: own.mode }))];
  const unitMs = rules.outages?.(state.data).unitMs ?? 1000;
  const unavailable = news.reduce((known, { agent, at: toldAt, windows }) => {
    const first = agents.find((one) => programOf(one) === agent);
    const window = overReserve(windows, reserve, at);
    if (first === undefined || window === null || isKnownToBeKept(known[keyOf(first)], at)) return known;
    return withReserve(known, first, { id, at, unitMs, faultsInARow: 1, window, reserve, toldAt });
  }, state.unavailable);
  return { ...state, unavailable };
}

function afterWork(unavailable: UnavailableAgents, agent: AgentChoice, { fallback, own }: Worker): UnavailableAgents {
  const others = withoutLimit(unavailable, agent);
  return fallback === null && own.isOther !== true ? withoutFailing(others) : others;
}

/** The fallback that was started last, if it has just failed; null otherwise. */
export function failingFallback<Data>({ worker, unavailable }: LoopState<Data>): Failing | null {
  const why = worker?.fallback == null ? undefined : unavailable[keyOf(worker.fallback)];
  return why?.is === 'failing' ? why : null;
}

/** A fallback without a login, or that cannot be started, is not tried again unless a person continues the loop. */
export function withoutFallback<Data>(state: LoopState<Data>, fallback: Fallback): LoopState<Data> {
  return { ...state, unavailable: withDropped(state.unavailable, fallback) };
}
