/** What a loop may use, as the person who started it has said: when its agents are started, and what they may cost. Pure. */
import { defined } from '../defined.ts';
import type { Ending } from '../ending.ts';
import type { CallUsage } from '../events.ts';
import type { Fallback } from '../faults/agent-choice.ts';
import type { OnStuck } from '../progress/progress.ts';
import { formatDuration } from '../text/duration.ts';
import type { Duration, Instant } from '../time.ts';
import type { Usage } from './usage.ts';

export interface LoopTerms {
  /** No agent is started before (`--at`). */
  readonly notBefore?: Instant;
  /** No agent is started after (`--until`). */
  readonly notAfter?: Instant;
  readonly budget?: Budget;
  /** Dollars are neither estimated nor taken from the agent (`--no-prices`): a subscription has none. */
  readonly prices?: false;
  /** An agent that hangs so long is ended; 0 for none, absent for what its loop kind has. */
  readonly hangMs?: Duration;
  /** The agents that work while the loop's own is limited, in this order. */
  readonly fallbacks?: readonly Fallback[];
  /** What is done when nothing new comes of the iterations, unless the loop kind says otherwise; absent for a warning. */
  readonly onStuck?: OnStuck;
  /** Each prompt says what the last iterations came to, where the loop kind has a place for that. */
  readonly carryNotes?: true;
  /** The part of each usage window that is left for a person, from 0 to 1; absent for none. */
  readonly reserve?: number;
}

/** For all runs of a loop together; what is absent has no limit. */
export interface Budget {
  readonly costUsd?: number;
  /** For each story of a list, by itself. */
  readonly costPerStoryUsd?: number;
  /** In and out, cached ones too. */
  readonly tokens?: number;
  /** Of work: waits for usage limits, outages and people are not counted. */
  readonly timeMs?: Duration;
  /** Let the iteration finish in which it is used up. */
  readonly isSoft?: true;
}

export type Budgeted = 'cost' | 'tokens' | 'time';

interface Used {
  readonly usage: Pick<Usage, 'costUsd' | 'estimatedRuns' | 'inputTokens' | 'outputTokens'>;
  readonly workedMs: Duration;
}

/** Each part of the budget with what is used of it; what agents do not tell is not in it. */
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
  /** Of dollars: some of them come from a list of prices. */
  readonly isEstimated?: true;
  /** Of dollars: those of this story alone. */
  readonly story?: string;
}

/** From this share on, a part of the budget is warned about, once. */
const WARNED_FROM = 0.8;

const isNearlySpent = ({ used, limit }: BudgetUse): boolean => used >= WARNED_FROM * limit;

/** The parts that are not warned about yet: what a run adds to them may be worth a warning. */
export function unwarned({ budget = {} }: LoopTerms, used: Used): BudgetUse[] {
  return budgetUse(budget, used).filter((part) => !isNearlySpent(part));
}

/** What came to be worth a warning between two states of a loop. What ends it is not warned about. */
export function newWarnings(before: Used & Termed, after: Used & Termed): BudgetUse[] {
  if (after.terms.budget === undefined) return [];
  const known = new Set(unwarned(before.terms, before).map(({ of }) => of));
  const parts = budgetUse(after.terms.budget, after);
  return parts.filter((part) => known.has(part.of) && isNearlySpent(part) && part.used < part.limit);
}

interface Termed {
  readonly terms: LoopTerms;
}

/** The same while a run goes on: what its calls have told so far comes on top. Null for no warning. */
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

/** How long it is until a budget of time is warned about. */
export const timeToWarning = ({ used, limit }: BudgetUse): Duration => Math.max(0, WARNED_FROM * limit - used);

/** From this share on, an agent is asked to wrap up; one that is started later than that, in the middle of the rest. */
const WRAP_UP_FROM = 0.9;

/** `part` is as it was before the run. */
const wrapUpAt = ({ used, limit }: BudgetUse): number => Math.max(WRAP_UP_FROM * limit, (used + limit) / 2);

export const isTimeToWrapUp = (part: BudgetUse, usage: CallUsage): boolean =>
  withCalls(part, usage).used >= wrapUpAt(part);

export const timeToWrapUp = (part: BudgetUse): Duration => Math.max(0, wrapUpAt(part) - part.used);

/** Sums of dollars are off by a little: an agent that spends exactly what is left leaves nothing. */
const ROUNDING = 1e-9;

/** Why no further agent may be started; null where one may. */
export function spentBy({ notAfter, budget = {} }: LoopTerms, used: Used, at: Instant): Ending | null {
  const over = budgetUse(budget, used).find((part) => part.used >= part.limit * (1 - ROUNDING));
  if (over !== undefined) return { kind: 'budget', ...over };
  return notAfter !== undefined && at >= notAfter ? { kind: 'budget', of: 'until', until: notAfter } : null;
}

/** What a run may still use; it is ended when it has used more. */
export interface BudgetLeft {
  readonly costUsd?: number;
  readonly tokens?: number;
}

/** Undefined where nothing ends a run. Time is one of its other limits. */
export function leftOf({ costUsd, tokens, isSoft }: Budget, { usage }: Used): BudgetLeft | undefined {
  if (isSoft === true || (costUsd === undefined && tokens === undefined)) return undefined;
  return {
    ...(costUsd === undefined ? {} : { costUsd: Math.max(0, costUsd - usage.costUsd) }),
    ...(tokens === undefined ? {} : { tokens: Math.max(0, tokens - usage.inputTokens - usage.outputTokens) }),
  };
}

/** Of two limits the lower one, each part by itself. */
export function lowerOf(one: BudgetLeft = {}, other: BudgetLeft = {}): BudgetLeft | undefined {
  const lower = (a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY): number | undefined =>
    Number.isFinite(Math.min(a, b)) ? Math.min(a, b) : undefined;
  const left = defined({ costUsd: lower(one.costUsd, other.costUsd), tokens: lower(one.tokens, other.tokens) });
  return Object.keys(left).length === 0 ? undefined : left;
}

/** Unknown figures are never over. */
export function isOver({ costUsd = 0, inputTokens = 0, outputTokens = 0 }: CallUsage, left: BudgetLeft): boolean {
  const isTooDear = left.costUsd !== undefined && costUsd > left.costUsd;
  return isTooDear || (left.tokens !== undefined && inputTokens + outputTokens > left.tokens);
}

/** The flag that doubles what is used up. */
export function largerBudget({ of, limit, story }: BudgetUse): string {
  if (story !== undefined) return `--max-cost-per-story ${limit * 2}`;
  if (of === 'cost') return `--max-cost ${limit * 2}`;
  return of === 'tokens' ? `--max-tokens ${limit * 2}` : `--max-time ${formatDuration(limit * 2)}`;
}
