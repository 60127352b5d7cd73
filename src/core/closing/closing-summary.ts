/** A loop's closing lines, in one form for all kinds: the outcome, what a person needs to know, the next commands. */

import type { BudgetUse } from '../budget/terms.ts';
import { costText, dollars, plural, shortCount, type Usage } from '../budget/usage.ts';
import type { Ending } from '../ending.ts';
import { linesOf } from '../text/lines-of.ts';
import { WIDTH, wrap } from '../text/wrap.ts';
import type { Duration, Instant } from '../time.ts';

/** For checks that passed where the agent works, which is no proof. */
export const CHECKED_IN_TREE = "checked in the agent's work tree";

export interface ClosingSummary {
  readonly mark: Mark;
  /** `Done in 2 iterations`; no full stop, because figures follow it. */
  readonly outcome: string;
  readonly durationMs: Duration;
  readonly usage: Usage;
  /** Where the checks that count passed, such as `proved at 51affc0`; absent if that would say nothing. */
  readonly checked?: string;
  readonly red: readonly RedCheck[];
  /** Whole sentences. */
  readonly details: readonly string[];
  readonly work: WorkState;
  readonly next: readonly NextCommand[];
}

/** Done, failed, or waiting for a person or a point in time. */
export type Mark = 'done' | 'failed' | 'needs-you';

/** `exit`: for example `exit 1`. */
type RedCheck = { readonly command: string; readonly exit: string; readonly log: string | null };

export type WorkState =
  /** `except`: what ralph keeps in the work tree for itself, if not committed. `isBase`: the loop added no commit. */
  | { readonly kind: 'committed'; readonly commit: string; readonly except?: string; readonly isBase?: true }
  | { readonly kind: 'uncommitted'; readonly files: number }
  | { readonly kind: 'no-repository' }
  | { readonly kind: 'unknown'; readonly reason: string };

export type NextCommand = { readonly command: string; readonly why: string };

/** How a loop was left: by an ending, or interrupted and resumable. */
export type Left = Ending | { readonly kind: 'interrupted' };

export type Clock = (at: Instant) => string;

export const MARKS: Readonly<Record<Mark, string>> = { done: '✓', failed: '✗', 'needs-you': '!' };

const INDENT = '  ';

export function closingLines(summary: ClosingSummary): string[] {
  return [...verdictLines(summary), ...nextLines(summary)];
}

/** The outcome, and what a person needs to know. */
export function verdictLines(summary: ClosingSummary, width = WIDTH): string[] {
  const { mark, outcome, durationMs, usage, checked, red, details, work } = summary;
  const figures = linesOf(outcome, humanDuration(durationMs), costOf(usage), checked);
  const first = `${MARKS[mark]} ${figures.join(' · ')}`;
  const sentences = [...red.map(redSentence), ...details, workSentence(work)];
  return [...wrap(first, '', INDENT, width), ...sentences.flatMap((sentence) => wrap(sentence, INDENT, INDENT, width))];
}

/** The commands to run next. */
export function nextLines({ next }: Pick<ClosingSummary, 'next'>, width = WIDTH): string[] {
  const widest = Math.max(0, ...next.map(({ command }) => command.length));
  const fits = next.every(({ why }) => beside('', why, widest).length <= width);
  const column = fits ? widest : Math.min(widest, width / 2);
  return next.flatMap(({ command, why }) => nextLine(command, why, column, width));
}

/** The words for a loop's ending, in any loop kind. `iterations`: those in which an agent was started. */
export function describeLeft(left: Left, iterations: number): { readonly mark: Mark; readonly outcome: string } {
  const many = plural(iterations, 'iteration');
  switch (left.kind) {
    case 'done':
      return { mark: 'done', outcome: iterations === 0 ? 'Done' : `Done in ${many}` };
    case 'unpublished':
      return { mark: 'needs-you', outcome: `Done in ${many}, but not published` };
    case 'iteration-limit':
      return { mark: 'failed', outcome: `Stopped at the limit of ${plural(left.limit, 'iteration')}` };
    default: {
      const [mark, outcome] = STOPPED[left.kind];
      const failed = left.kind === 'kept-failing' ? ` ${plural(left.failures, 'time')} in a row` : '';
      const after = iterations === 0 ? 'before the first iteration' : `after ${many}`;
      const budget = left.kind === 'budget' ? (left.of === 'until' ? 'its time is up' : 'its budget is used up') : '';
      return { mark, outcome: `${outcome.replace('…', after)}${failed}${budget}` };
    }
  }
}

type Stopped = Exclude<Left['kind'], 'done' | 'unpublished' | 'iteration-limit'>;
const STOPPED: Readonly<Record<Stopped, readonly [Mark, string]>> = {
  'kept-failing': ['failed', 'Stopped …: the agent failed'],
  configuration: ['failed', 'Stopped … by a configuration error'],
  tampered: ['failed', 'Stopped …: tampered with'],
  infrastructure: ['failed', 'Stopped … by a fault outside the work'],
  budget: ['failed', 'Stopped …: '],
  stuck: ['failed', 'Stuck …'],
  stopped: ['failed', 'Stopped …, as you asked'],
  auth: ['needs-you', 'Stopped …: the agent could not authenticate'],
  blocked: ['needs-you', 'Blocked …'],
  decision: ['needs-you', 'Needs your decision …'],
  waiting: ['needs-you', 'The agent waits for you …'],
  'usage-limit': ['needs-you', "Stopped … by the agent's usage limit"],
  interrupted: ['needs-you', 'Interrupted …'],
};

export function endingDetails(left: Left, clock: Clock): string[] {
  if (left.kind === 'budget') return [budgetSentence(left, clock)];
  if (left.kind === 'interrupted') return [NOTHING_LOST];
  if (!('reason' in left)) return [];
  switch (left.kind) {
    case 'configuration':
      return linesOf(left.reason, left.hint);
    case 'usage-limit':
      return linesOf(left.reason, left.resetAt !== null && `It resets at ${clock(left.resetAt)}.`);
    case 'kept-failing':
      return linesOf(left.reason !== undefined && `The last failure: ${left.reason}`);
    default:
      return linesOf(left.reason);
  }
}

const NOTHING_LOST = 'Nothing is lost: the loop can continue from here.';

/** `82 % of a budget is used. It has cost $4.10 of $5.00 (--max-cost).` */
export function budgetWarning(use: BudgetUse): string {
  return `${Math.floor((use.used / use.limit) * 100)} % of a budget is used. ${budgetUseSentence(use)}`;
}

function budgetSentence(ending: Ending & { kind: 'budget' }, clock: Clock): string {
  return ending.of === 'until'
    ? `No agent is started after ${clock(ending.until)} (--until).`
    : budgetUseSentence(ending);
}

const budgetUseSentence = (use: BudgetUse): string =>
  `${use.story === undefined ? 'It' : `Story ${use.story}`} has ${budgetUseWords(use)}.`;

/** `cost $4.10 of $5.00 (--max-cost)` */
export function budgetUseWords({ of, used, limit, story, ...more }: BudgetUse): string {
  switch (of) {
    case 'cost': {
      const flag = story === undefined ? '--max-cost' : '--max-cost-per-story';
      return `cost ${costText(used, more)} of ${dollars(limit)} (${flag})`;
    }
    case 'tokens':
      return `used ${shortCount(used)} of ${shortCount(limit)} tokens (--max-tokens)`;
    case 'time':
      return `worked for ${humanDuration(used)} of ${humanDuration(limit)} (--max-time)`;
  }
}

/** `3m 12s`, `2h 14m`, `45s`: two units at most. */
export function humanDuration(ms: Duration): string {
  const seconds = Math.round(ms / 1000);
  const counts = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const units = counts.map((count, index) => (count > 0 ? `${count}${'dhms'[index]}` : ''));
  const largest = counts.findIndex((count) => count > 0);
  const [first = '0s', second = ''] = largest < 0 ? [] : units.slice(largest);
  return `${first} ${second}`.trimEnd();
}

function costOf({ runs, costUsd, runsWithoutCost, estimatedRuns }: Usage): string {
  if (runs === 0) return 'no agent was run';
  if (runsWithoutCost === runs) return 'cost unknown';
  const unknown = runsWithoutCost === 0 ? '' : ` and ${plural(runsWithoutCost, 'run')} of unknown cost`;
  return `${costText(costUsd, { isEstimated: estimatedRuns !== undefined })}${unknown}`;
}

function redSentence({ command, exit, log }: RedCheck): string {
  return `"${command}" stayed red (${exit}${log === null ? '' : `, log ${log}`}).`;
}

/** Marks the work if the loop committed nothing. `base`: the commit that it began with. */
export function workSince(base: string | null, work: WorkState): WorkState {
  return work.kind === 'committed' && work.commit === base ? { ...work, isBase: true } : work;
}

function workSentence(work: WorkState): string {
  switch (work.kind) {
    case 'committed': {
      const except = work.except === undefined ? '' : ` except ${work.except}`;
      const head = work.commit.slice(0, 7);
      if (work.isBase === true) return `There is nothing to commit${except} (HEAD is still ${head}).`;
      return `Everything is committed${except} (HEAD is ${head}).`;
    }
    case 'uncommitted':
      // A repository without a commit and without any files.
      if (work.files === 0) return 'Nothing is committed.';
      return `${plural(work.files, 'changed file')} ${work.files === 1 ? 'is' : 'are'} not committed.`;
    case 'no-repository':
      return 'Nothing is committed: there is no git repository.';
    case 'unknown':
      return `Whether the work is committed is unknown: ${work.reason}`;
  }
}

/** A command stays on one line, so that it can be copied; if its reason does not fit there, it goes below. */
function nextLine(command: string, why: string, column: number, width: number): string[] {
  const line = beside(command, why, column);
  return line.length <= width ? [line] : [`${INDENT}${command}`, `${INDENT}${INDENT}${why}`];
}

const beside = (command: string, why: string, column: number): string => `${INDENT}${command.padEnd(column)}   ${why}`;
