/** What a loop's runs have cost so far, as far as its agents tell. What is not told stays unknown and is never zero. */
import type { Purpose } from './keys.ts';
import type { Ran } from './record.ts';

export interface Usage {
  readonly runs: number;
  readonly costUsd: number;
  readonly runsWithoutCost: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly runsWithoutTokens: number;
  /** Of the input, what was read from a cache; absent where nothing was. */
  readonly cachedTokens?: number;
  readonly toolCalls: number;
  /** Of the runs, those that only wrote a commit message; absent for none. */
  readonly messageRuns?: number;
  /** By sandboxes; absent for none. */
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

/** A run that was interrupted has no account: what it cost is unknown. */
export function addRun(
  usage: Usage,
  ran: Pick<Ran, 'account' | 'toolCalls' | 'refusals'> | null,
  purpose: Purpose = 'work',
): Usage {
  const { costUsd, inputTokens, outputTokens, cacheReadTokens = 0 } = ran?.account ?? {};
  const tellsTokens = inputTokens !== undefined && outputTokens !== undefined;
  return {
    runs: usage.runs + 1,
    costUsd: usage.costUsd + (costUsd ?? 0),
    runsWithoutCost: usage.runsWithoutCost + (costUsd === undefined ? 1 : 0),
    inputTokens: usage.inputTokens + (tellsTokens ? inputTokens : 0),
    outputTokens: usage.outputTokens + (tellsTokens ? outputTokens : 0),
    runsWithoutTokens: usage.runsWithoutTokens + (tellsTokens ? 0 : 1),
    ...withCached(usage, tellsTokens ? cacheReadTokens : 0),
    toolCalls: usage.toolCalls + (ran?.toolCalls ?? 0),
    ...withMessageRuns(usage, purpose === 'message' ? 1 : 0),
    ...withRefusals(usage, ran?.refusals ?? 0),
  };
}

/** Of a check or any other command of the loop. */
export function addRefusals(usage: Usage, refusals: number): Usage {
  return { ...usage, ...withRefusals(usage, refusals) };
}

function withCached(usage: Usage, more: number): Pick<Usage, 'cachedTokens'> {
  const cachedTokens = (usage.cachedTokens ?? 0) + more;
  return cachedTokens === 0 ? {} : { cachedTokens };
}

function withMessageRuns(usage: Usage, more: number): Pick<Usage, 'messageRuns'> {
  const messageRuns = (usage.messageRuns ?? 0) + more;
  return messageRuns === 0 ? {} : { messageRuns };
}

function withRefusals(usage: Usage, more: number): Pick<Usage, 'refusals'> {
  const refusals = (usage.refusals ?? 0) + more;
  return refusals === 0 ? {} : { refusals };
}

/** `3 runs, $0.05, 1.2K tokens in / 300 out, 4 tool calls` */
export function describeUsage(usage: Usage): string {
  const { runs, costUsd, runsWithoutCost, inputTokens, outputTokens, runsWithoutTokens, toolCalls } = usage;
  const parts = [plural(runs, 'run'), ...messageParts(usage)];
  const tellsCost = runsWithoutCost < runs;
  const tellsTokens = runsWithoutTokens < runs;
  if (tellsCost) parts.push(dollars(costUsd));
  if (tellsTokens) {
    const cached = usage.cachedTokens === undefined ? '' : ` (${shortCount(usage.cachedTokens)} cached)`;
    parts.push(`${shortCount(inputTokens)} tokens in${cached} / ${shortCount(outputTokens)} out`);
  }
  if (toolCalls > 0) parts.push(plural(toolCalls, 'tool call'));
  if (usage.refusals !== undefined) parts.push(`${plural(usage.refusals, 'refusal')} by the sandbox`);
  if (!tellsCost) parts.push('cost unknown');
  else if (runsWithoutCost > 0) parts.push(`${plural(runsWithoutCost, 'run')} of unknown cost`);
  return parts.join(', ');
}

function messageParts({ messageRuns = 0 }: Usage): string[] {
  if (messageRuns === 0) return [];
  return [`${messageRuns} of them for ${messageRuns === 1 ? 'the commit message' : 'commit messages'}`];
}

/** Cents are enough for a bill, not for a small run. */
export function dollars(amount: number): string {
  return amount > 0 && amount < 0.095 ? `$${amount.toPrecision(2)}` : `$${amount.toFixed(2)}`;
}

export function shortCount(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)}M`;
  if (count >= 1000) return `${Math.round(count / 1000)}K`;
  return String(count);
}

/** How often: `once`, `twice`, `3 times`. */
export function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

export function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
