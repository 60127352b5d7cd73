/** What it means for a loop that a person continues it: an ending is taken back, and options and terms may change. Pure. */
import { type LoopTerms, spentBy } from '../budget/terms.ts';
import { defined } from '../defined.ts';
import { canContinue, type Ending } from '../ending.ts';
import { begunAgain } from '../progress/progress.ts';
import type { Result } from '../record.ts';
import type { AnyRules } from '../rules.ts';
import { type LoopState, nextIteration, nextTry, withCutOff } from '../state.ts';
import type { Instant } from '../time.ts';

/** The iteration that an ending cut off is tried again, one that was over is followed by the next. */
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

/** Another agent may be free by now. */
function withoutWait<Data>(state: LoopState<Data>): LoopState<Data> {
  const { phase } = state;
  if (phase.at !== 'wait' || phase.for === undefined) return state;
  return { ...state, phase: { at: 'wait', until: 'now', then: phase.then } };
}

/** The budget that would end a loop again at once that is continued with these terms; null for none. */
export function spentAfter<Data>(state: LoopState<Data>, terms: LoopTerms | undefined, at: Instant): Ending | null {
  return spentBy(termsAfter({ ...state, at }, terms), state, at);
}

/** Who continues a loop after its time was over wants it to go on; more money has to be said. A budget in dollars needs them. */
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
