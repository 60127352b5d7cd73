/** Decides whether a run's dollars are estimated, taken from its agent, or left out, and adapts its parser. */

import { givenValue } from '../../agents/flags.ts';
import { profileFor } from '../../agents/index.ts';
import { loadPrices, type Prices, pricedCalls, pricedParser, unpricedParser } from '../../agents/pricing/pricing.ts';
import type { AgentParser } from '../../agents/profile.ts';
import type { AgentResult, CallUsage } from '../../core/events.ts';
import type { LocalPerformers, Of } from './perform.ts';

export interface PricedRun {
  readonly parser: AgentParser;
  /** Adds what the calls cost, unless the run's account has the total. */
  priced(calls: readonly CallUsage[], account: AgentResult | null): Promise<readonly CallUsage[]>;
}

function withoutCost(call: CallUsage): CallUsage {
  const { costUsd: _cost, costSource: _source, pricedAs: _entries, ...figures } = call;
  return figures;
}

/** The price list is loaded only if it will be needed: the agent reports no dollars, or not before its run is over. */
export async function pricedRun({ host, cwd }: LocalPerformers, action: Of<'await'>): Promise<PricedRun> {
  const { agent, limits } = action;
  const profile = profileFor(agent.command);
  const own = profile.parser(agent);
  if (action.prices === false) return { parser: unpricedParser(own), priced: async (calls) => calls };
  const place = { flags: agent.flags, env: host.env, cwd };
  const model = profile.model?.(place) ?? givenValue(agent.flags, ...(profile.modelOption ?? []));
  const isWatched = limits.spending?.some(({ of }) => of === 'cost') === true;
  const isNeeded = profile.tellsCost === 'tokens' || isWatched;
  const prices: Prices | null = isNeeded && own.hasStructure ? await loadPrices() : null;
  return {
    parser: pricedParser(own, { prices, model }),
    async priced(calls, account) {
      if (account?.costUsd !== undefined) return calls.map(withoutCost);
      const isTold = calls.every(({ costUsd, model: told = model }) => costUsd !== undefined || told === undefined);
      return isTold ? calls : pricedCalls(calls, { prices: prices ?? (await loadPrices()), model });
    },
  };
}
