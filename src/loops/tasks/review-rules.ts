/** For tasks with a reviewer: DONE counts only once another agent has approved; until then it is renamed. Pure. */
import { spentBy } from '../../core/budget/terms.ts';
import type { Ran, TreeRecord } from '../../core/record.ts';
import {
  afterDiff,
  afterReview,
  afterVerdict,
  claimed,
  diffGiven,
  type Reviewed,
  type ReviewSteps,
  type ReviewTerms,
  type Verdict,
  withWork,
} from '../../core/review/review.ts';
import type { StepRules, Step as StepTo } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import type { TaskData, TaskSteps } from './state.ts';

export type TaskReviewSteps = ReviewSteps & {
  /** Renames DONE until the work is reviewed, so that no task that depends on this one begins. */
  readonly hold: { readonly given: null; readonly gave: null };
  /** Posts the result of a review. If the work was approved, restores DONE. */
  readonly verdict: { readonly given: Verdict; readonly gave: null };
};

type State = LoopState<TaskData>;
type Step = StepTo<TaskData, keyof TaskSteps>;

/** Where to go once DONE exists. */
export function toChildren({ request }: TaskData): Step['go'] {
  return { to: 'step', what: request.review === undefined ? 'children' : 'hold' };
}

/** True if the task was DONE before this loop's first run, so that an earlier review may be of the same files. */
export function looksAtTree({ request, reviews }: TaskData): boolean {
  return request.review !== undefined && reviews.work === null && reviews.verdicts.length > 0;
}

/** DONE exists, and the children have finished, too. */
export function afterChildren(state: State, { tree }: { readonly tree?: TreeRecord }): Step {
  const { data } = state;
  if (data.request.review === undefined) return { data, go: { to: 'step', what: 'propagation' } };
  if (tree === undefined) return reviewAgain(state);
  return reviewAgain({ ...state, data: { ...data, reviews: withWork(data.reviews, tree) } });
}

/** After the children, after a wait for the reviewer, or when the loop is continued. */
export function reviewAgain(state: State): Step {
  return reviewed(state.data, claimed(state.data.reviews, spentBy(state.terms, state, state.at)));
}

export function afterReviewRun(state: State, ran: Ran): Step {
  const { data, terms, at } = state;
  return reviewed(data, afterReview(data.reviews, reviewOf(data), ran, spentBy(terms, state, at)));
}

export const reviewSteps: Pick<StepRules<TaskData, TaskSteps>, keyof TaskReviewSteps> = {
  hold: { outward: true, given: () => null, after: ({ data }) => ({ data, go: { to: 'step', what: 'children' } }) },
  diff: {
    given: ({ data }) => diffGiven(data.reviews),
    after: ({ data, id, at }, diff) => reviewed(data, afterDiff(data.reviews, diff, `${id} ${at}`)),
  },
  verdict: {
    outward: true,
    given: ({ data: { reviews } }) => {
      if (reviews.last === null) throw new Error('there is no verdict');
      return reviews.last;
    },
    after: ({ data }) => {
      const go = afterVerdict(data.reviews, reviewOf(data));
      return { data, go: go ?? { to: 'step', what: 'propagation' } };
    },
  },
};

export function reviewOf({ request: { review } }: TaskData): ReviewTerms {
  if (review === undefined) throw new Error('no agent was named for reviews');
  return review;
}

function reviewed(before: TaskData, { reviews, go }: Reviewed): Step {
  const data = { ...before, reviews };
  return { data, go: go.to === 'verdict' ? { to: 'step', what: 'verdict' } : go };
}
