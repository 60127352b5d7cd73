/** What an agent does, as every adapter reports it, for display. The closing account and the last fault are also judged. */

import type { QuotaWindow } from './budget/quota.ts';
import type { Fault } from './outcome.ts';

export type AgentEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'tool-end'; readonly id: string; readonly output: string; readonly isError: boolean }
  | { readonly type: 'todo'; readonly items: readonly TodoItem[] }
  /** `session`: the agent's own name of it, where it tells one. */
  | { readonly type: 'progress'; readonly text: string; readonly session?: string }
  /** `notice`: a person should see it although nothing ended: a retry, a permission denied, work that was cut off. */
  | { readonly type: 'notice' | 'stderr'; readonly text: string; readonly about?: 'permissions' }
  /** A sandbox has refused it something; a sentence for a person. */
  | { readonly type: 'refusal'; readonly text: string }
  /** What keeps it from its work, unless it goes on. `isHopeless`: it would try in vain for hours, and is ended. */
  | { readonly type: 'fault'; readonly fault: Fault; readonly isHopeless?: boolean }
  /** What one call of the model has used, while the run goes on. The same id again replaces what it said before. */
  | ({ readonly type: 'usage'; readonly id: string } & CallUsage)
  /** How much of its usage windows is used; a window that is told of again replaces what was told before. */
  | { readonly type: 'quota'; readonly windows: readonly QuotaWindow[] }
  | ({ readonly type: 'result' } & AgentResult)
  /** A line the adapter has no name for: kept as it came. */
  | { readonly type: 'unknown'; readonly raw: string };

export interface TodoItem {
  readonly text: string;
  readonly status: 'pending' | 'active' | 'completed';
}

/** The agent's own closing account. */
export interface AgentResult extends CallUsage {
  readonly isError: boolean;
  readonly text: string;
  /** Why it failed, in a few words, where the agent tells. */
  readonly reason?: string;
  readonly durationMs?: number;
  /** It ended because the dollars were used up that it had been given. */
  readonly isOutOfBudget?: true;
  /** The same figures for each model, where it used several. */
  readonly byModel?: readonly CallUsage[];
}

/** What an agent does not report stays absent: unknown is not zero. */
export interface CallUsage {
  /** As the agent calls it, sometimes with its provider in front: `openrouter/qwen3-coder`. */
  readonly model?: string;
  readonly costUsd?: number;
  /** Who says so: the agent, or a list of prices. Absent in older records, where it was the agent. */
  readonly costSource?: 'reported' | 'estimated';
  /** Of an estimate: the entries of the list of prices that were taken, such as `openai/gpt-5.5`. */
  readonly pricedAs?: readonly string[];
  /** All of them, also those that a cache spared or kept. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

export const FIGURES = ['costUsd', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

/** A figure that no call has told stays absent, and so does the model where there were several. */
export function sumOf(calls: readonly CallUsage[]): CallUsage {
  const sums = FIGURES.map((figure) => [figure, calls.flatMap((call) => call[figure] ?? [])] as const);
  const told = sums.filter(([, figures]) => figures.length > 0);
  const figures: CallUsage = Object.fromEntries(
    told.map(([figure, each]) => [figure, each.reduce((sum, one) => sum + one, 0)]),
  );
  const [model, ...otherModels] = new Set(calls.map((call) => call.model));
  const pricedAs = [...new Set(calls.flatMap((call) => call.pricedAs ?? []))];
  const sources = calls.flatMap(({ costSource }) => costSource ?? []);
  const [source] = sources.includes('estimated') ? (['estimated'] as const) : sources;
  return {
    ...(model === undefined || otherModels.length > 0 ? {} : { model }),
    ...figures,
    ...(source === undefined ? {} : { costSource: source }),
    ...(pricedAs.length === 0 ? {} : { pricedAs }),
  };
}
