/** The flags about what a loop may use, and when. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LoopTerms } from '../../../core/budget/terms.ts';
import { defined } from '../../../core/defined.ts';
import type { OnStuck } from '../../../core/progress/progress.ts';
import type { FallbackSpec } from '../../../engine/fallbacks.ts';
import type { AwakeFlags } from '../../terminal.ts';
import { durationLike, fallbackList, startTime } from '../values.ts';

/** What a loop may use; see LoopTerms. */
export interface TermFlags extends AwakeFlags {
  readonly at?: number;
  readonly until?: number;
  readonly maxCost?: number;
  /** Only for `ralph stories`. */
  readonly maxCostPerStory?: number;
  readonly maxTokens?: number;
  /** In milliseconds. */
  readonly maxTime?: number;
  readonly budgetSoft?: boolean;
  /** False: dollars are not counted. */
  readonly prices?: boolean;
  /** In milliseconds. */
  readonly hangAfter?: number;
  readonly hangDetection?: boolean;
  readonly fallback?: readonly FallbackSpec[];
  /** From 0 to 1. */
  readonly reserve?: number;
  readonly onStuck?: OnStuck;
  readonly carryNotes?: boolean;
}

/** The names under which commander stores their values. */
export const TERM_NAMES: ReadonlySet<string> = new Set<keyof TermFlags>([
  'at',
  'until',
  'maxCost',
  'maxCostPerStory',
  'maxTokens',
  'maxTime',
  'budgetSoft',
  'prices',
  'hangAfter',
  'hangDetection',
  'keepAwake',
  'fallback',
  'reserve',
  'onStuck',
  'carryNotes',
]);

/** Groups of `--help`. */
export const BUDGET_FLAGS = ['max-cost', 'max-tokens', 'max-time', 'budget-soft', 'no-prices'];
export const NIGHT_FLAGS = [
  'at',
  'until',
  'fallback',
  'reserve',
  'no-wait',
  'outage-budget',
  'hang-after',
  'no-hang-detection',
  'no-keep-awake',
];

export function addTermFlags(command: Command): Command {
  return addBudgetFlags(command)
    .option('--no-keep-awake', 'let the machine sleep while the loop runs')
    .option('--at <time>', 'start the first agent at this time, such as 22:00', startTime)
    .option('--until <time>', 'start no agent after this time, such as 07:30', startTime);
}

const HANG = 'end an agent that prints nothing, uses no CPU and has no network traffic for this long (default: 30m)';

const FALLBACK = 'agents to use while the first is limited, such as codex,gemini or claude:sonnet';
const RESERVE = 'leave this much of each usage window for you, such as 30%, if the agent reports how much is used';

export function addBudgetFlags(command: Command): Command {
  return command
    .option('--max-cost <dollars>', 'end the loop when its agents have cost this much', amount)
    .option('--max-tokens <n>', 'end it when they have used this many tokens, such as 500K or 2M', tokenCount)
    .option('--max-time <duration>', 'end it when they have worked this long, such as 2h', durationLike('30m or 2h'))
    .option('--fallback <agents>', FALLBACK, fallbackList)
    .option('--reserve <percent>', RESERVE, share)
    .option('--hang-after <duration>', HANG, durationLike('10m or 1h'))
    .option('--no-hang-detection', 'do not end agents that hang')
    .option('--budget-soft', 'let the iteration that uses up a budget finish')
    .addOption(
      new Option('--no-prices', 'do not count dollars, for example with a subscription').conflicts([
        'maxCost',
        'maxCostPerStory',
      ]),
    );
}

export function addStoryBudget(command: Command): Command {
  const what = 'set a story aside when it has cost this much, and continue with the others';
  return command.option('--max-cost-per-story <dollars>', what, amount);
}

function termsFrom(flags: TermFlags): LoopTerms {
  const { at: notBefore, until: notAfter, maxCost: costUsd, maxTokens: tokens, maxTime: timeMs } = flags;
  const limits = defined({ costUsd, costPerStoryUsd: flags.maxCostPerStory, tokens, timeMs });
  const isSoft = flags.budgetSoft === true ? ({ isSoft: true } as const) : {};
  const hasBudget = Object.keys({ ...limits, ...isSoft }).length > 0;
  const hangMs = flags.hangDetection === false ? 0 : flags.hangAfter;
  return {
    ...defined({ notBefore, notAfter, hangMs, reserve: flags.reserve, onStuck: flags.onStuck }),
    ...(flags.carryNotes === true ? ({ carryNotes: true } as const) : {}),
    ...(flags.prices === false ? ({ prices: false } as const) : {}),
    ...(hasBudget ? { budget: { ...limits, ...isSoft } } : {}),
  };
}

/** The options in the form that a loop takes. */
export function termOptions(flags: TermFlags): { terms: LoopTerms; fallbacks?: readonly FallbackSpec[] } {
  return { terms: termsFrom(flags), ...defined({ fallbacks: flags.fallback }) };
}

function share(text: string): number {
  const [, percent] = /^(\d{1,2}(?:\.\d+)?)\s*%?$/.exec(text) ?? [];
  if (Number(percent) > 0) return Number(percent) / 100;
  throw new InvalidArgumentError('must be a part of the window such as 30%');
}

function amount(text: string): number {
  const dollars = Number(text.replace(/^\$/, ''));
  if (!Number.isFinite(dollars) || dollars <= 0) throw new InvalidArgumentError('must be an amount such as 5 or 2.50');
  return dollars;
}

function tokenCount(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([KM]?)$/i.exec(text) ?? [];
  const count = Math.round(Number(number) * (TOKEN_UNITS[unit.toUpperCase()] ?? 1));
  if (number === undefined || count < 1) throw new InvalidArgumentError('must be a number such as 500K or 2M');
  return count;
}

const TOKEN_UNITS: Readonly<Record<string, number>> = { '': 1, K: 1000, M: 1_000_000 };
