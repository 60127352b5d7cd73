/** Decides which records of a loop become a message to people, for every loop kind, and writes its text. Pure. */
import { basename } from 'node:path';
import type { BudgetUse } from '../core/budget/terms.ts';
import { costText } from '../core/budget/usage.ts';
import {
  budgetWarning,
  type Clock,
  describeLeft,
  endingDetails,
  humanDuration,
} from '../core/closing/closing-summary.ts';
import type { Ending } from '../core/ending.ts';
import {
  bare,
  type Notice,
  type NoticeAction,
  type NoticeEvent,
  oneLine,
  plainLines,
  titleOf,
} from '../core/notice.ts';
import type { Recorded } from '../core/record.ts';
import { type LoopState, type Phase, questionOf, startedIterations } from '../core/state.ts';
import { linesOf } from '../core/text/lines-of.ts';
import type { Mask } from '../core/text/mask.ts';

/** The content of a notice; the sender adds where and when it was sent. */
export type NoticeText = Pick<Notice, 'event' | 'title' | 'text' | 'question' | 'next' | 'can'>;

type State = Pick<
  LoopState<unknown>,
  'id' | 'cwd' | 'phase' | 'startedIn' | 'workedMs' | 'waitedMs' | 'usage' | 'unavailable' | 'faultsInARow' | 'loopKind'
>;

/** What people were already told about the loop, so that they are told only once. */
export interface Told {
  readonly question: string | null;
  /** Whether the loop waits for a usage limit, or tries whether it still applies. `named`: its reset time is known. */
  readonly limit: 'none' | 'named' | 'unnamed';
  readonly isOver: boolean;
}

export interface Words {
  /** The loop's short name, as in lists. */
  readonly name: string;
  readonly clock: Clock;
  readonly mask: Mask;
  /** Whether `ralph resume` continues loops of this kind. Other kinds never read an answer to their last question. */
  readonly isResumed: boolean;
}

/** For a new supervisor of the loop: the previous one has reported the state that it finds. */
export function toldBefore(state: State): Told {
  return { question: questionOf(state), limit: limitOf(state), isOver: state.phase.at === 'over' };
}

/** The message for a record, if any, and what people know after it. */
export function noticeOf(
  told: Told,
  { result }: Pick<Recorded, 'result'>,
  state: State,
  words: Words,
): { readonly told: Told; readonly notice: NoticeText | null } {
  const question = questionOf(state);
  const limit = limitOf(state);
  const now = { question, limit, isOver: state.phase.at === 'over' };
  if (state.phase.at === 'over' && !told.isOver)
    return { told: now, notice: noticeOfEnding(state, state.phase.ending, words) };
  if (question !== null && question !== told.question) return { told: now, notice: asking(state, question, words) };
  if (limit !== 'none') return { told: now, notice: told.limit === 'none' ? limited(state, words) : null };
  const isEnding = state.phase.at === 'end' || state.phase.at === 'over';
  if (told.limit === 'none' || isEnding) return { told: now, notice: null };
  // The person who continued or paused the loop knows.
  if (result.kind === 'continued' || (result.kind === 'waited' && result.command !== undefined))
    return { told: now, notice: null };
  // Without a known reset time, the end of the wait is only another try.
  const isLifted = told.limit === 'named' || state.faultsInARow === 0;
  if (!isLifted) return { told: { ...now, limit: told.limit }, notice: null };
  return {
    told: now,
    notice: { ...text('lifted', state, words, 'usage limit lifted', ['The loop continues.']), can: RUNNING },
  };
}

const RUNNING: readonly NoticeAction[] = ['pause', 'stop'];

const EVENT_OF_ENDING: Readonly<Record<Ending['kind'], NoticeEvent | null>> = {
  done: 'done',
  unpublished: 'failed',
  'iteration-limit': 'failed',
  'kept-failing': 'failed',
  infrastructure: 'failed',
  configuration: 'failed',
  stuck: 'failed',
  auth: 'failed',
  blocked: 'blocked',
  decision: 'blocked',
  waiting: 'blocked',
  budget: 'budget',
  'usage-limit': 'limited',
  tampered: 'tampered',
  // A person did it, and knows.
  stopped: null,
};

const HEADLINES: Readonly<Record<Exclude<Ending['kind'], 'stopped'>, string>> = {
  done: 'done',
  unpublished: 'done, but not published',
  'iteration-limit': 'stopped at its limit of iterations',
  'kept-failing': 'the agent kept failing',
  infrastructure: 'stopped by a service fault',
  configuration: 'stopped by a configuration error',
  stuck: 'stuck',
  auth: 'the agent is not logged in',
  blocked: 'needs you',
  decision: 'needs your decision',
  waiting: 'the agent waits for you',
  budget: 'budget used up',
  'usage-limit': 'stopped by a usage limit',
  tampered: 'tampered with',
};

export function noticeOfEnding(state: State, ending: Ending, words: Words): NoticeText | null {
  const event = EVENT_OF_ENDING[ending.kind];
  if (event === null || ending.kind === 'stopped') return null;
  const { outcome } = describeLeft(ending, startedIterations(state));
  const figures = linesOf(outcome, humanDuration(state.workedMs + state.waitedMs), costOf(state)).join(' · ');
  const details = endingDetails(ending, words.clock);
  const isAsking = event === 'blocked' && 'reason' in ending && ending.reason !== undefined;
  const question = isAsking ? { question: plain(ending.reason, words) } : {};
  // The question comes first: the person has to read it.
  const lines = isAsking ? [...details, figures] : [figures, ...details];
  const next = nextAfter(ending, words);
  return {
    ...text(event, state, words, HEADLINES[ending.kind], lines),
    ...question,
    ...(next === null ? {} : { next }),
    can: isAsking && words.isResumed ? ['answer'] : [],
  };
}

function nextAfter({ kind }: Ending, { name, isResumed }: Words): string | null {
  if (kind === 'done') return `ralph show ${name}`;
  if (isResumed && (kind === 'blocked' || kind === 'decision' || kind === 'waiting'))
    return `ralph answer ${name} "…" && ralph resume ${name}`;
  return kind === 'tampered' ? `ralph show ${name}` : `ralph status ${name}`;
}

function asking(state: State, question: string, words: Words): NoticeText {
  return {
    ...text('blocked', state, words, 'needs you', [question]),
    question: plain(question, words),
    next: `ralph answer ${words.name} "…"`,
    can: ['answer', 'stop'],
  };
}

function limited(state: State, words: Words): NoticeText {
  const { phase } = state;
  const { for: reason, until } = phase as Phase & { at: 'wait' };
  const waits = typeof until === 'number' ? `The loop waits until ${words.clock(until)}.` : 'The loop waits.';
  const lines = linesOf(reason?.reason, waits);
  return { ...text('limited', state, words, 'waits for a usage limit', lines), can: RUNNING };
}

/** Most of a budget is used; the loop continues. */
export function noticeOfBudget(state: State, use: BudgetUse, words: Words): NoticeText {
  return { ...text('budget', state, words, 'most of a budget is used', [budgetWarning(use)]), can: RUNNING };
}

/** An error stopped the loop: a full disk, a bug. */
export function noticeOfError(state: State, message: string, words: Words): NoticeText {
  const next = `ralph resume ${words.name}`;
  return { ...text('failed', state, words, 'stopped by an error', [message]), next };
}

function text(event: NoticeEvent, { cwd }: State, words: Words, what: string, lines: readonly string[]) {
  const title = oneLine(titleOf(event, placeOf(words.mask(cwd)), what));
  return { event, title, text: plain(linesOf(...lines, `Loop ${words.name}`).join('\n'), words), can: [] };
}

/** Mask keys before the text is cut: part of a key is not recognised. */
const plain = (text: string, { mask }: Words): string => plainLines(mask(bare(text)));

/** Not the whole path, because the message goes to external services. */
export const placeOf = (cwd: string): string => oneLine(basename(cwd), 40) || '/';

function costOf({ usage }: State): string | null {
  if (usage.runs === 0 || usage.runsWithoutCost === usage.runs) return null;
  return costText(usage.costUsd, { isEstimated: usage.estimatedRuns !== undefined });
}

function limitOf({ phase, unavailable }: State): Told['limit'] {
  if (phase.at !== 'wait' || (phase.for?.kind !== 'limit' && phase.for?.kind !== 'reserve')) return 'none';
  const isNamed = Object.values(unavailable).some(
    (agent) => agent.is === 'limited' && agent.until === phase.until && agent.resetAt !== null,
  );
  return isNamed ? 'named' : 'unnamed';
}
