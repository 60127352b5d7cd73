/** What a loop's runs have cost so far, as reported by its agents. What they do not report is unknown, never zero. */
import type { Purpose } from '../action.ts';
import type { CallUsage } from '../events.ts';
import type { Ran } from '../record.ts';
import { REVIEW } from '../review/review.ts';
import { linesOf } from '../text/lines-of.ts';

export interface Usage {
  readonly runs: number;
  readonly costUsd: number;
  readonly runsWithoutCost: number;
  /** How many of the runs have a cost estimated from a price list; absent for none. */
  readonly estimatedRuns?: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly runsWithoutTokens: number;
  /** How many of the input tokens were read from a cache; absent for none. */
  readonly cachedTokens?: number;
  readonly toolCalls: number;
  /** How many of the runs only wrote a commit message; absent for none. */
  readonly messageRuns?: number;
  /** How many of the runs reviewed the work; absent for none. */
  readonly reviewRuns?: number;
  /** Refusals by sandboxes; absent for none. */
  readonly refusals?: number;
}

export const NO_USAGE: Usage = {
  runs: 0,
  costUsd: 0,
  runsWithoutCost: 0,
  inputTokens: 0,
  outputTokens: 0,
  runsWithoutTokens: 0,
  toolCalls: 0,
};

/** The run's own account; what it leaves out comes from what its calls reported. */
export function usageOf(ran: { readonly account?: CallUsage; readonly used?: CallUsage } | null): CallUsage {
  return { ...ran?.used, ...ran?.account };
}

/** A run that was interrupted has no account: what it cost is unknown. */
export function addRun(
  usage: Usage,
  ran: Pick<Ran, 'account' | 'used' | 'toolCalls' | 'refusals'> | null,
  purpose: Purpose = 'work',
): Usage {
  const { costUsd, costSource, inputTokens, outputTokens, cacheReadTokens = 0 } = usageOf(ran);
  const tellsTokens = inputTokens !== undefined && outputTokens !== undefined;
  return {
    runs: usage.runs + 1,
    costUsd: usage.costUsd + (costUsd ?? 0),
    runsWithoutCost: usage.runsWithoutCost + (costUsd === undefined ? 1 : 0),
    ...more(usage, 'estimatedRuns', costSource === 'estimated' ? 1 : 0),
    inputTokens: usage.inputTokens + (tellsTokens ? inputTokens : 0),
    outputTokens: usage.outputTokens + (tellsTokens ? outputTokens : 0),
    runsWithoutTokens: usage.runsWithoutTokens + (tellsTokens ? 0 : 1),
    ...more(usage, 'cachedTokens', tellsTokens ? cacheReadTokens : 0),
    toolCalls: usage.toolCalls + (ran?.toolCalls ?? 0),
    ...more(usage, 'messageRuns', purpose === 'message' ? 1 : 0),
    ...more(usage, 'reviewRuns', purpose === REVIEW ? 1 : 0),
    ...more(usage, 'refusals', ran?.refusals ?? 0),
  };
}

/** Adds the refusals of a check or any other command of the loop. */
export function addRefusals(usage: Usage, refusals: number): Usage {
  return { ...usage, ...more(usage, 'refusals', refusals) };
}

/** For figures that are absent if zero. */
function more(usage: Usage, figure: keyof Usage, added: number): Partial<Usage> {
  const sum = (usage[figure] ?? 0) + added;
  return sum === 0 ? {} : { [figure]: sum };
}

/** `3 runs, $0.05, 1.2K tokens in / 300 out, 4 tool calls` */
export function describeUsage(usage: Usage): string {
  const { runs, runsWithoutCost, toolCalls, messageRuns = 0, reviewRuns = 0, cachedTokens = 0, refusals = 0 } = usage;
  const tellsCost = runsWithoutCost < runs;
  const cached = cachedTokens === 0 ? '' : ` (${shortCount(cachedTokens)} cached)`;
  const tokens = `${shortCount(usage.inputTokens)} tokens in${cached} / ${shortCount(usage.outputTokens)} out`;
  return linesOf(
    plural(runs, 'run'),
    messageRuns > 0 && `${messageRuns} of them for ${messageRuns === 1 ? 'the commit message' : 'commit messages'}`,
    reviewRuns > 0 && `${reviewRuns} of them for ${reviewRuns === 1 ? 'a review' : 'reviews'}`,
    tellsCost && costText(usage.costUsd, { isEstimated: usage.estimatedRuns !== undefined }),
    usage.runsWithoutTokens < runs && tokens,
    toolCalls > 0 && plural(toolCalls, 'tool call'),
    refusals > 0 && `${plural(refusals, 'refusal')} by the sandbox`,
    !tellsCost && 'cost unknown',
    tellsCost && runsWithoutCost > 0 && `${plural(runsWithoutCost, 'run')} of unknown cost`,
  ).join(', ');
}

/** Whole cents are too coarse for a small run. */
export function dollars(amount: number): string {
  return amount > 0 && amount < 0.095 ? `$${amount.toPrecision(2)}` : `$${amount.toFixed(2)}`;
}

/** `$0.42`; `~$0.42` if some of it is an estimate, `$0.42+` if some of it is unknown. */
export function costText(amount: number, { isEstimated = false, isAtLeast = false } = {}): string {
  return `${isEstimated ? '~' : ''}${dollars(amount)}${isAtLeast ? '+' : ''}`;
}

export function shortCount(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)}M`;
  if (count >= 1000) return `${Math.round(count / 1000)}K`;
  return String(count);
}

/** How often: `once`, `twice`, `3 times`. */
export const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

export const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
