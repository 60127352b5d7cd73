/** What runs of an agent have cost, as a view shows it: null where no run told, because unknown is not zero. */
import type { Result } from '../core/record.ts';
import { dollars } from '../core/usage.ts';

export interface Spent {
  /** Starts of an agent, also those for a commit message. */
  readonly runs: number;
  /** Of the runs that told. */
  readonly costUsd: number | null;
  readonly runsWithoutCost: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly toolCalls: number | null;
}

export const NOTHING_SPENT: Spent = {
  runs: 0,
  costUsd: null,
  runsWithoutCost: 0,
  inputTokens: null,
  outputTokens: null,
  toolCalls: null,
};

export function spentIn(results: readonly Result[]): Spent {
  const started = results.filter(({ kind }) => kind === 'started').length;
  const ran = results.flatMap((result) => (result.kind === 'ran' ? [result] : []));
  const runs = Math.max(started, ran.length);
  return ran.reduce<Spent>(
    (spent, { account = {}, toolCalls }) => ({
      runs,
      costUsd: plus(spent.costUsd, account.costUsd),
      // One that was cut off has no account.
      runsWithoutCost: spent.runsWithoutCost - (account.costUsd === undefined ? 0 : 1),
      inputTokens: plus(spent.inputTokens, account.inputTokens),
      outputTokens: plus(spent.outputTokens, account.outputTokens),
      toolCalls: plus(spent.toolCalls, toolCalls),
    }),
    { ...NOTHING_SPENT, runs, runsWithoutCost: runs },
  );
}

export function spentTogether(one: Spent, other: Spent): Spent {
  return {
    runs: one.runs + other.runs,
    costUsd: plus(one.costUsd, other.costUsd),
    runsWithoutCost: one.runsWithoutCost + other.runsWithoutCost,
    inputTokens: plus(one.inputTokens, other.inputTokens),
    outputTokens: plus(one.outputTokens, other.outputTokens),
    toolCalls: plus(one.toolCalls, other.toolCalls),
  };
}

/** `$0.21`; `$0.21+` where a run is missing in the sum because it did not tell. */
export function costWords({ costUsd, runsWithoutCost }: Pick<Spent, 'costUsd' | 'runsWithoutCost'>): string {
  return costUsd === null ? '–' : `${dollars(costUsd)}${runsWithoutCost > 0 ? '+' : ''}`;
}

function plus(sum: number | null, more: number | null | undefined): number | null {
  return more == null ? sum : (sum ?? 0) + more;
}
