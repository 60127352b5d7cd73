/** What a loop may use, as its user has said: when its agents are started, and what they may cost. Pure. */
import { defined } from '../defined.ts';
import type { Ending } from '../ending.ts';
import type { CallUsage } from '../events.ts';
import type { Fallback } from '../faults/agent-choice.ts';
import type { OnStuck } from '../progress/progress.ts';
import { formatDuration } from '../text/duration.ts';
import type { Duration, Instant } from '../time.ts';
import type { Usage } from './usage.ts';

export interface LoopTerms {
  /** No agent is started before this (`--at`). */
  readonly notBefore?: Instant;
  /** No agent is started after this (`--until`). */
  readonly notAfter?: Instant;
  readonly budget?: Budget;
  /** Dollars are neither estimated nor taken from the agent (`--no-prices`), for example with a subscription. */
  readonly prices?: false;
  /** An agent that hangs for this long is ended; 0 for never, absent for the loop kind's default. */
  readonly hangMs?: Duration;
  /** The agents that work while the loop's own is limited, in order of preference. */
  readonly fallbacks?: readonly Fallback[];
  /** What to do when the iterations make no progress, unless the loop kind decides; absent for a warning. */
  readonly onStuck?: OnStuck;
  /** Each prompt summarises the last iterations, if the loop kind's prompts have a place for that. */
  readonly carryNotes?: true;
  /** The part of each usage window that is reserved for a person, from 0 to 1; absent for none. */
  readonly reserve?: number;
}

/** For all runs of a loop together; what is absent is unlimited. */
export interface Budget {
  readonly costUsd?: number;
  /** For each story of a list separately. */
  readonly costPerStoryUsd?: number;
  /** Input and output, including cached tokens. */
  readonly tokens?: number;
  /** Time of work: waits for usage limits, outages and people do not count. */
  readonly timeMs?: Duration;
  /** The iteration in which it is used up may finish. */
  readonly isSoft?: true;
}

export type Budgeted = 'cost' | 'tokens' | 'time';

interface Used {
  readonly usage: Pick<Usage, 'costUsd' | 'estimatedRuns' | 'inputTokens' | 'outputTokens'>;
  readonly workedMs: Duration;
}

/** Each part of the budget with what is used of it. What agents do not report is not counted. */
export function budgetUse({ costUsd, tokens, timeMs }: Budget, { usage, workedMs }: Used): BudgetUse[] {
  const parts: readonly (readonly [Budgeted, number | undefined, number])[] = [
    ['cost', costUsd, usage.costUsd],
    ['tokens', tokens, usage.inputTokens + usage.outputTokens],
    ['time', timeMs, workedMs],
  ];
  const isEstimated = usage.estimatedRuns === undefined ? {} : { isEstimated: true as const };
  return parts.flatMap(([of, limit, used]) =>
    limit === undefined ? [] : [{ of, limit, used, ...(of === 'cost' ? isEstimated : {}) }],
  );
}

export interface BudgetUse {
  readonly of: Budgeted;
  readonly limit: number;
  readonly used: number;
  /** For dollars: some of them are estimated from a price list. */
  readonly isEstimated?: true;
  /** For dollars: only those of this story. */
  readonly story?: string;
}

/** From this share on, people are warned about a part of the budget, once. */
const WARNED_FROM = 0.8;

const isNearlySpent = ({ used, limit }: BudgetUse): boolean => used >= WARNED_FROM * limit;

/** The parts without a warning so far: a run may use enough of them for one. */
export function unwarned({ budget = {} }: LoopTerms, used: Used): BudgetUse[] {
  return budgetUse(budget, used).filter((part) => !isNearlySpent(part));
}

/** The warnings that became due between two states of a loop. A part that is used up ends the loop instead. */
export function newWarnings(before: Used & Termed, after: Used & Termed): BudgetUse[] {
  if (after.terms.budget === undefined) return [];
  const known = new Set(unwarned(before.terms, before).map(({ of }) => of));
  const parts = budgetUse(after.terms.budget, after);
  return parts.filter((part) => known.has(part.of) && isNearlySpent(part) && part.used < part.limit);
}

interface Termed {
  readonly terms: LoopTerms;
}

/** The same during a run: adds what its calls have reported so far. Null for no warning. */
export function warningDuring(part: BudgetUse, usage: CallUsage): BudgetUse | null {
  const now = withCalls(part, usage);
  return isNearlySpent(now) ? now : null;
}

function withCalls(part: BudgetUse, usage: CallUsage): BudgetUse {
  const { costUsd = 0, costSource, inputTokens = 0, outputTokens = 0 } = usage;
  const more = { cost: costUsd, tokens: inputTokens + outputTokens, time: 0 }[part.of];
  const isEstimated = part.of === 'cost' && costSource === 'estimated' ? { isEstimated: true as const } : {};
  return { ...part, used: part.used + more, ...isEstimated };
}

/** How long until there is a warning about a budget of time. */
export const timeToWarning = ({ used, limit }: BudgetUse): Duration => Math.max(0, WARNED_FROM * limit - used);

/** From this share on, an agent is asked to wrap up; one that starts later, once half of what was left is used. */
const WRAP_UP_FROM = 0.9;

/** `part`: as it was before the run. */
const wrapUpAt = ({ used, limit }: BudgetUse): number => Math.max(WRAP_UP_FROM * limit, (used + limit) / 2);

export const isTimeToWrapUp = (part: BudgetUse, usage: CallUsage): boolean =>
  withCalls(part, usage).used >= wrapUpAt(part);

export const timeToWrapUp = (part: BudgetUse): Duration => Math.max(0, wrapUpAt(part) - part.used);

/** Sums of dollars have rounding errors: an agent that spends exactly what is left must leave nothing. */
const ROUNDING = 1e-9;

/** Why no further agent may be started; null if one may. */
export function spentBy({ notAfter, budget = {} }: LoopTerms, used: Used, at: Instant): Ending | null {
  const over = budgetUse(budget, used).find((part) => part.used >= part.limit * (1 - ROUNDING));
  if (over !== undefined) return { kind: 'budget', ...over };
  return notAfter !== undefined && at >= notAfter ? { kind: 'budget', of: 'until', until: notAfter } : null;
}

/** What a run may still use; it is ended once it has used more. */
export interface BudgetLeft {
  readonly costUsd?: number;
  readonly tokens?: number;
}

/** Undefined if no budget ends a run. Time is not in it: it is one of the run's other limits. */
export function leftOf({ costUsd, tokens, isSoft }: Budget, { usage }: Used): BudgetLeft | undefined {
  if (isSoft === true || (costUsd === undefined && tokens === undefined)) return undefined;
  return {
    ...(costUsd === undefined ? {} : { costUsd: Math.max(0, costUsd - usage.costUsd) }),
    ...(tokens === undefined ? {} : { tokens: Math.max(0, tokens - usage.inputTokens - usage.outputTokens) }),
  };
}

/** The lower of two limits, separately for each part. */
export function lowerOf(one: BudgetLeft = {}, other: BudgetLeft = {}): BudgetLeft | undefined {
  const lower = (a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY): number | undefined =>
    Number.isFinite(Math.min(a, b)) ? Math.min(a, b) : undefined;
  const left = defined({ costUsd: lower(one.costUsd, other.costUsd), tokens: lower(one.tokens, other.tokens) });
  return Object.keys(left).length === 0 ? undefined : left;
}

/** Unknown figures never exceed the budget. */
export function isOver({ costUsd = 0, inputTokens = 0, outputTokens = 0 }: CallUsage, left: BudgetLeft): boolean {
  const isTooDear = left.costUsd !== undefined && costUsd > left.costUsd;
  return isTooDear || (left.tokens !== undefined && inputTokens + outputTokens > left.tokens);
}

/** The flag that doubles the budget that is used up. */
export function largerBudget({ of, limit, story }: BudgetUse): string {
  if (story !== undefined) return `--max-cost-per-story ${limit * 2}`;
  if (of === 'cost') return `--max-cost ${limit * 2}`;
  return of === 'tokens' ? `--max-tokens ${limit * 2}` : `--max-time ${formatDuration(limit * 2)}`;
}
