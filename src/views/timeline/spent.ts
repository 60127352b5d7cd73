/** What runs of agents cost, for views: null for a figure that no run reported, because unknown is not zero. */

import { costText, usageOf } from '../../core/budget/usage.ts';
import type { AgentResult } from '../../core/events.ts';
import type { Result } from '../../core/record.ts';

export interface Spent {
  /** Starts of an agent, including those for a commit message. */
  readonly runs: number;
  /** Of the runs that reported it. */
  readonly costUsd: number | null;
  readonly runsWithoutCost: number;
  /** How many of the runs have an estimated cost. */
  readonly estimatedRuns: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly toolCalls: number | null;
  /** The models that the agents reported, in order of first use. */
  readonly models: readonly string[];
}

export const NOTHING_SPENT: Spent = {
  runs: 0,
  costUsd: null,
  runsWithoutCost: 0,
  estimatedRuns: 0,
  inputTokens: null,
  outputTokens: null,
  toolCalls: null,
  models: [],
};

export function spentIn(results: readonly Result[]): Spent {
  const started = results.filter(({ kind }) => kind === 'started').length;
  const ran = results.filter(({ kind }) => kind === 'ran').length;
  const runs = Math.max(started, ran);
  return results.reduce<Spent>(
    (spent, result) => {
      if (result.kind !== 'ran' && result.kind !== 'interrupted') return spent;
      // A run that was cut off has no final result, but its calls may have reported their usage.
      const used = usageOf(result);
      const { costUsd, costSource, inputTokens, outputTokens } = used;
      return {
        runs,
        costUsd: plus(spent.costUsd, costUsd),
        runsWithoutCost: spent.runsWithoutCost - (costUsd === undefined ? 0 : 1),
        estimatedRuns: spent.estimatedRuns + (costSource === 'estimated' ? 1 : 0),
        inputTokens: plus(spent.inputTokens, inputTokens),
        outputTokens: plus(spent.outputTokens, outputTokens),
        toolCalls: plus(spent.toolCalls, result.kind === 'ran' ? result.toolCalls : undefined),
        models: [...new Set([...spent.models, ...modelsOf(used)])],
      };
    },
    { ...NOTHING_SPENT, runs, runsWithoutCost: runs },
  );
}

export function spentTogether(one: Spent, other: Spent): Spent {
  return {
    runs: one.runs + other.runs,
    costUsd: plus(one.costUsd, other.costUsd),
    runsWithoutCost: one.runsWithoutCost + other.runsWithoutCost,
    estimatedRuns: one.estimatedRuns + other.estimatedRuns,
    inputTokens: plus(one.inputTokens, other.inputTokens),
    outputTokens: plus(one.outputTokens, other.outputTokens),
    toolCalls: plus(one.toolCalls, other.toolCalls),
    models: [...new Set([...one.models, ...other.models])],
  };
}

/** `$0.21`; `$0.21+` if a run did not report its cost, `~$0.21` if the cost of one was estimated. */
export function costWords({ costUsd, runsWithoutCost, estimatedRuns }: CostOfRuns): string {
  if (costUsd === null) return '–';
  return costText(costUsd, { isEstimated: estimatedRuns > 0, isAtLeast: runsWithoutCost > 0 });
}

type CostOfRuns = Pick<Spent, 'costUsd' | 'runsWithoutCost' | 'estimatedRuns'>;

function modelsOf({ model, byModel = [] }: Partial<AgentResult>): string[] {
  return [model, ...byModel.map((part) => part.model)].filter((name) => name !== undefined);
}

function plus(sum: number | null, more: number | null | undefined): number | null {
  return more == null ? sum : (sum ?? 0) + more;
}
