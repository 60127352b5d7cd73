/** What happens when a person continues a loop: its ending is taken back, and options and terms can change. Pure. */
import { type LoopTerms, spentBy } from '../budget/terms.ts';
import { defined } from '../defined.ts';
import { canContinue, type Ending } from '../ending.ts';
import { begunAgain } from '../progress/progress.ts';
import type { Result } from '../record.ts';
import type { AnyRules } from '../rules.ts';
import { type LoopState, nextIteration, nextTry, withCutOff } from '../state.ts';
import type { Instant } from '../time.ts';

/** An iteration that the ending cut off is tried again; after one that was over, the next begins. */
export function afterContinue<Data>(
  rules: AnyRules<Data>,
  before: LoopState<Data>,
  { options, terms }: Extract<Result, { kind: 'continued' }>,
): LoopState<Data> {
  const still = rules.afterStandstill?.(before.data) ?? before.data;
  const data = options === undefined ? still : (rules.takeOptions?.(still, options as object) ?? still);
  const state = { ...before, data, terms: termsAfter(before, terms), progress: begunAgain(before.progress) };
  if (state.phase.at !== 'over') return terms?.fallbacks === undefined ? state : withoutWait(state);
  const { ending } = state.phase;
  if (!canContinue(ending)) throw new Error(`a loop that ended as "${ending.kind}" is continued`);
  const counts = { failuresInARow: 0, faultsInARow: 0, outageMs: 0, unavailable: {} };
  const again = { ...state, ...counts, continued: state.continued + 1 };
  if (ending.kind === 'stopped' && state.cutOff !== null) return withCutOff(again);
  const isBetween = 'isBetween' in ending && ending.isBetween;
  const isOver = ending.kind === 'iteration-limit' || ending.kind === 'kept-failing' || isBetween;
  const isIterationOver = isOver && rules.hasMoreToDo?.(data) !== true;
  return { ...(isIterationOver ? nextIteration(again) : nextTry(again, 'work')), phase: { at: 'inputs' } };
}

/** Ends a wait for a fault: another agent may be free now. */
function withoutWait<Data>(state: LoopState<Data>): LoopState<Data> {
  const { phase } = state;
  if (phase.at !== 'wait' || phase.for === undefined) return state;
  return { ...state, phase: { at: 'wait', until: 'now', then: phase.then } };
}

/** The budget that would end a loop again at once if it is continued with these terms; null if none would. */
export function spentAfter<Data>(state: LoopState<Data>, terms: LoopTerms | undefined, at: Instant): Ending | null {
  return spentBy(termsAfter({ ...state, at }, terms), state, at);
}

/**
 * An end time that has passed is dropped; a budget that is used up stays unless it is raised. Budgets in dollars need
 * prices: a new one drops `prices: false`, and a new `prices: false` drops the old ones.
 */
function termsAfter<Data>({ terms, at }: LoopState<Data>, more: LoopTerms = {}): LoopTerms {
  const { notAfter, prices, ...rest } = terms;
  const isLate = notAfter === undefined || at >= notAfter;
  const { costUsd, costPerStoryUsd, ...before } = terms.budget ?? {};
  const dollars = more.prices === false ? {} : defined({ costUsd, costPerStoryUsd });
  const budget = { ...before, ...dollars, ...more.budget };
  return {
    ...rest,
    ...(prices === undefined || hasDollars(more) ? {} : { prices }),
    ...(isLate ? {} : { notAfter }),
    ...more,
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}

const hasDollars = ({ budget: { costUsd, costPerStoryUsd } = {} }: LoopTerms): boolean =>
  costUsd !== undefined || costPerStoryUsd !== undefined;
