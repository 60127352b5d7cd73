/** What an agent does, as every adapter reports it for display. The loop also acts on the result and the last fault. */

import type { QuotaWindow } from './budget/quota.ts';
import type { Fault } from './outcome.ts';

export type AgentEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'tool-end'; readonly id: string; readonly output: string; readonly isError: boolean }
  | { readonly type: 'todo'; readonly items: readonly TodoItem[] }
  /** `session`: the agent's own id for its session, if it reports one. */
  | { readonly type: 'progress'; readonly text: string; readonly session?: string }
  /** `notice`: people should see it although nothing ended: a retry, a denied permission, work that was cut off. */
  | { readonly type: 'notice' | 'stderr'; readonly text: string; readonly about?: 'permissions' }
  /** The sandbox refused something; a sentence for people. */
  | { readonly type: 'refusal'; readonly text: string }
  /** What keeps the agent from its work, unless it recovers. `isHopeless`: it would retry for hours; it is ended. */
  | { readonly type: 'fault'; readonly fault: Fault; readonly isHopeless?: boolean }
  /** What one model call has used, while the run continues. The same id again replaces the earlier figures. */
  | ({ readonly type: 'usage'; readonly id: string } & CallUsage)
  /** How much of its usage windows is used; a window that is reported again replaces the earlier report. */
  | { readonly type: 'quota'; readonly windows: readonly QuotaWindow[] }
  | ({ readonly type: 'result' } & AgentResult)
  /** A line that the adapter does not know, kept as it came. */
  | { readonly type: 'unknown'; readonly raw: string };

export interface TodoItem {
  readonly text: string;
  readonly status: 'pending' | 'active' | 'completed';
}

/** The agent's own account at the end of a run. */
export interface AgentResult extends CallUsage {
  readonly isError: boolean;
  readonly text: string;
  /** Why it failed, in a few words, if the agent says so. */
  readonly reason?: string;
  readonly durationMs?: number;
  /** It ended because its budget in dollars was used up. */
  readonly isOutOfBudget?: true;
  /** The same figures for each model, if it used several. */
  readonly byModel?: readonly CallUsage[];
}

/** What an agent does not report stays absent: unknown is not zero. */
export interface CallUsage {
  /** The agent's name for it, sometimes with the provider in front: `openrouter/qwen3-coder`. */
  readonly model?: string;
  readonly costUsd?: number;
  /** Who says so: the agent, or a price list. Absent in older records, where it was the agent. */
  readonly costSource?: 'reported' | 'estimated';
  /** For an estimate: the entries of the price list that were used, such as `openai/gpt-5.5`. */
  readonly pricedAs?: readonly string[];
  /** All input tokens, including those read from a cache or written to it. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

export const FIGURES = ['costUsd', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

/** A figure that no call reported stays absent, and so does the model if there were several. */
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
