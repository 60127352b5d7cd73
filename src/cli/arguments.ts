/** What the declarations of several commands need. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LoopTerms } from '../core/budget/terms.ts';
import { defined } from '../core/defined.ts';
import { OUTAGE_BUDGET, type OutagePolicy } from '../core/faults/outage.ts';
import type { OnStuck } from '../core/progress/progress.ts';
import { parseDuration, parseGoDuration } from '../core/text/duration.ts';
import type { FallbackSpec } from '../engine/fallbacks.ts';
import { withNote } from './program/help.ts';
import type { AwakeFlags } from './terminal.ts';

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('must be a positive integer such as 10');
  return number;
}

/** In milliseconds. */
export function durationLike(examples: string): (text: string) => number {
  return (text) => {
    const ms = parseDuration(text);
    if (ms === null) throw new InvalidArgumentError(`must be a duration such as ${examples}`);
    return ms;
  };
}

/** What a command comes to; the process ends in main.ts, once everything is written. */
export async function exitWith(code: Promise<number>): Promise<void> {
  process.exitCode = await code;
}

/** The command line that starts this program again. */
export function self(): readonly [string, ...string[]] {
  return [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)];
}

/** Another name for a flag that the command has: the same value, and no line of its own in the help. */
export function alsoCalled(command: Command, flag: string, target: string, parse?: (text: string) => number): Command {
  const option = command.options.find(({ long }) => long === target);
  if (option === undefined) throw new Error(`${command.name()} has no flag ${target}`);
  option.description = withNote(option.description, `also: ${flag.replace(/ <.*/, '')}`);
  const alias = new Alias(flag, option);
  return command.addOption(parse === undefined ? alias : alias.argParser(parse));
}

export class Alias extends Option {
  constructor(
    flags: string,
    readonly target: Option,
  ) {
    super(flags, target.description);
    this.hideHelp();
    if (target.parseArg !== undefined) this.argParser(target.parseArg);
  }

  override attributeName(): string {
    return this.target.attributeName();
  }
}

/** For commands that run a loop; see OutputFlags. */
export function addOutputFlags(command: Command): Command {
  return command
    .addOption(
      new Option('-q, --quiet', 'print only verdicts, warnings, errors and the closing lines').conflicts('verbose'),
    )
    .addOption(new Option('--json', 'print events as JSON, one object per line').conflicts(['quiet', 'dryRun']));
}

export const DETACH = ['--detach', 'run in the background; return once the loop has started'] as const;

/** What a loop may use; see LoopTerms. */
export interface TermFlags extends AwakeFlags {
  readonly at?: number;
  readonly until?: number;
  readonly maxCost?: number;
  /** Of `ralph stories`. */
  readonly maxCostPerStory?: number;
  readonly maxTokens?: number;
  /** In milliseconds. */
  readonly maxTime?: number;
  readonly budgetSoft?: boolean;
  /** False: dollars are not asked for. */
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

/** As commander names what they hold. */
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

/** As a loop takes them. */
export function termOptions(flags: TermFlags): { terms: LoopTerms; fallbacks?: readonly FallbackSpec[] } {
  return { terms: termsFrom(flags), ...defined({ fallbacks: flags.fallback }) };
}

function fallbackList(text: string): FallbackSpec[] {
  const specs = text.split(',').map(specOf);
  const isNamed = specs.every(isWhole);
  const names = new Set(specs.map(({ agent, model }) => `${agent}:${model}`));
  if (isNamed && names.size === specs.length) return specs;
  throw new InvalidArgumentError('must be a list of different agents such as codex,gemini or claude:sonnet');
}

/** `codex`, or `claude:sonnet` for a model. */
export function namedAgent(text: string): FallbackSpec {
  const spec = specOf(text);
  if (isWhole(spec) && !text.includes(',')) return spec;
  throw new InvalidArgumentError('must be an agent such as codex or claude:sonnet');
}

function specOf(text: string): FallbackSpec {
  const [agent = '', ...model] = text.trim().split(':');
  return { agent, model: model.length === 0 ? null : model.join(':') };
}

const isWhole = ({ agent, model }: FallbackSpec): boolean => agent !== '' && model !== '';

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

/** So long after a time of day it is taken for now, not for tomorrow. */
const JUST_NOW_MS = 60_000;

/** The next time that a clock here shows `22:00`, or a date with a time that has not passed. */
export function startTime(text: string, _previous?: unknown, now = Date.now()): number {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) {
    const at = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at)) throw new InvalidArgumentError('must be a time such as 22:00 or 2026-01-31T07:30');
    if (at < now - JUST_NOW_MS) throw new InvalidArgumentError('must be a time that has not passed');
    return at;
  }
  const at = new Date(now);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  if (at.getTime() < now - JUST_NOW_MS) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/** For loops whose faults cost no iteration. */
export interface OutageFlags {
  readonly wait?: boolean;
  /** In milliseconds. */
  readonly outageBudget?: number;
}

export function addOutageFlags(command: Command): Command {
  const budget = 'wait at most this long in total for services that cannot be reached (default: 6h)';
  return command
    .option('--no-wait', "do not wait for an agent's usage limit: end with exit code 10")
    .option('--outage-budget <duration>', budget, durationLike('30m or 6h'));
}

export function outagesFrom({ wait = true, outageBudget = OUTAGE_BUDGET }: OutageFlags): Omit<OutagePolicy, 'unitMs'> {
  return { waits: wait, budgetMs: outageBudget };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** `10MB`, `100KB`, `1GB`, or bytes; null for anything else. */
export function parseSize(text: string): number | null {
  const [, number, unit = ''] = /^\s*(\d+)\s*([KMG]?B)?\s*$/i.exec(text) ?? [];
  const bytes = Number(number) * (UNITS[unit.toUpperCase()] ?? 1);
  return number !== undefined && Number.isSafeInteger(bytes) ? bytes : null;
}

export function size(text: string): number {
  const bytes = parseSize(text);
  if (bytes === null) throw new InvalidArgumentError('must be a size such as 10MB, 500MB or 5GB');
  return bytes;
}

/** In milliseconds; zero is one, too. */
export function age(text: string): number {
  const [, days] = /^(\d+)d$/.exec(text) ?? [];
  const ms = days === undefined ? parseGoDuration(text) : Number(days) * 24 * 60 * 60_000;
  if (ms === null) throw new InvalidArgumentError('must be a duration such as 7d, 36h or 0');
  return ms;
}

/** Gives the instant for a given now: `yesterday` begins at midnight, `7d` is so long ago, `2026-01-31` a day here. */
export function sinceWhen(text: string): (now: number) => number {
  if (text === 'yesterday') return (now) => midnight(new Date(now).setDate(new Date(now).getDate() - 1));
  if (text === 'today') return midnight;
  if (/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?$/.test(text)) {
    const at = Date.parse(text.length === 10 ? `${text}T00:00` : text);
    if (!Number.isNaN(at)) return () => at;
  }
  const [, days] = /^(\d+)d$/.exec(text) ?? [];
  const ms = days === undefined ? parseDuration(text) : Number(days) * 24 * 60 * 60_000;
  if (ms === null) throw new InvalidArgumentError('must be yesterday, a duration such as 12h or 7d, or a day');
  return (now) => now - ms;
}

const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
