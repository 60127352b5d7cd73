/**
 * Marks each of a run's costs as reported or estimated, and estimates those that the agent does not report. Prices are
 * used nowhere else.
 */
import { defined } from '../../core/defined.ts';
import { type AgentEvent, type AgentResult, type CallUsage, sumOf } from '../../core/events.ts';
import type { AgentParser } from '../profile.ts';
import type { Price } from './price-list.ts';

export interface Prices {
  priceOfCall(usage: CallUsage): Price | null;
  priceOfCalls(usage: CallUsage): Price | null;
}

/** Takes a moment, and half a megabyte of code: only for a run whose cost has to be estimated. */
export function loadPrices(): Promise<Prices> {
  return import('./price-list.ts');
}

export interface Pricing {
  /** Null if only reported costs count. */
  readonly prices: Prices | null;
  /** For an agent that does not report which model it uses. */
  readonly model: string | undefined;
}

/** The parser's events with the source of each cost, and with estimates where none is reported. */
export function pricedParser(parser: AgentParser, pricing: Pricing): AgentParser {
  const calls = new Map<string, CallUsage>();
  return eachEvent(parser, (event) => {
    if (event.type === 'result') return { ...event, ...costOfRun(event, [...calls.values()], pricing) };
    if (event.type !== 'usage') return event;
    const priced = { ...event, ...costOfCall(event, pricing) };
    calls.set(event.id, priced);
    return priced;
  });
}

/** Removes all costs, even those that the agent reports. */
export function unpricedParser(parser: AgentParser): AgentParser {
  return eachEvent(parser, (event) => {
    if (event.type !== 'usage' && event.type !== 'result') return event;
    const { costUsd: _, ...rest } = event;
    if (rest.type !== 'result' || rest.byModel === undefined) return rest;
    return { ...rest, byModel: rest.byModel.map(({ costUsd: _cost, ...figures }) => figures) };
  });
}

/** The same calls with their costs; for a run that ended before it reported any. */
export function pricedCalls(calls: readonly CallUsage[], pricing: Pricing): readonly CallUsage[] {
  return calls.map((call) => ({ ...call, ...costOfCall(call, pricing) }));
}

function eachEvent(
  { parse, parseStderr, end, ...rest }: AgentParser,
  map: (event: AgentEvent) => AgentEvent,
): AgentParser {
  return {
    ...rest,
    parse: (line) => parse(line).map(map),
    ...(parseStderr === undefined ? {} : { parseStderr: (line) => parseStderr(line).map(map) }),
    ...(end === undefined ? {} : { end: () => end().map(map) }),
  };
}

type Cost = Pick<CallUsage, 'model' | 'costUsd' | 'costSource' | 'pricedAs'>;

function costOfCall(call: CallUsage, { prices, model }: Pricing): Cost {
  if (call.costUsd !== undefined) return { costSource: call.costSource ?? 'reported' };
  const used = withModel(call, model);
  return { ...defined({ model: used.model }), ...estimated([prices?.priceOfCall(used) ?? null]) };
}

/** The calls give a better estimate than their sum, unless they leave out some of what was used. */
function costOfRun(account: AgentResult, calls: readonly CallUsage[], { prices, model }: Pricing): Cost {
  if (account.costUsd !== undefined) return { costSource: account.costSource ?? 'reported' };
  const sum = sumOf(calls);
  const isWhole = tokensOf(sum) === tokensOf(account) && calls.every(({ costUsd }) => costUsd !== undefined);
  if (calls.length > 0 && isWhole) {
    const { costUsd, costSource, pricedAs } = sum;
    return defined({ model: account.model ?? sum.model, costUsd, costSource, pricedAs });
  }
  const parts = account.byModel ?? [withModel(account, model)];
  const used = account.model ?? (parts.length === 1 ? parts[0]?.model : undefined);
  return { ...defined({ model: used }), ...estimated(parts.map((part) => prices?.priceOfCalls(part) ?? null)) };
}

/** If one price is missing, the sum is not an estimate. */
function estimated(prices: readonly (Price | null)[]): Cost {
  const known = prices.filter((price) => price !== null);
  if (known.length < prices.length) return {};
  const costUsd = known.reduce((sum, { usd }) => sum + usd, 0);
  return { costUsd, costSource: 'estimated', pricedAs: [...new Set(known.map(({ entry }) => entry))] };
}

const withModel = <Used extends CallUsage>(used: Used, model: string | undefined): Used =>
  used.model !== undefined || model === undefined ? used : { ...used, model };

const tokensOf = ({ inputTokens = 0, outputTokens = 0 }: CallUsage): number => inputTokens + outputTokens;
