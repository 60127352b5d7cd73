/** A claim that everything else has accepted counts only once another agent has approved the work. Pure. */
import { spentBy } from '../../core/budget/terms.ts';
import type { Ran } from '../../core/record.ts';
import {
  afterDiff,
  afterReview,
  afterVerdict,
  claimed,
  diffGiven,
  type Reviewed,
  type ReviewSteps,
  type ReviewTerms,
} from '../../core/review/review.ts';
import { reviewPrompt } from '../../core/review/review-prompt.ts';
import type { Go as GoTo, StepRules, Step as StepTo } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { excusedOf } from './baseline.ts';
import type { RunData, RunSteps } from './state.ts';

type State = LoopState<RunData>;
type Go = GoTo<keyof RunSteps>;
type Step = StepTo<RunData, keyof RunSteps>;

/** `accepted`: what follows a claim that was approved, or that no agent reviews. */
export function reviewRules(accepted: (data: RunData) => Go) {
  const reviewed = (before: RunData, { reviews, go: next }: Reviewed): Step => {
    const data = { ...before, reviews };
    const go = next.to === 'verdict' ? afterVerdict(reviews, reviewOf(data)) : next;
    if (go === null) return { data, go: accepted(data) };
    // A rejected claim no longer stands.
    return { data: reviews.claim === null ? { ...data, response: null, unpublished: null } : data, go };
  };
  const claim = (state: State, data: RunData): Step => {
    if (data.inputs?.review === undefined) return { data, go: accepted(data) };
    return reviewed(data, claimed(data.reviews, spentIn(state)));
  };
  const steps: Pick<StepRules<RunData, RunSteps>, keyof ReviewSteps> = {
    diff: {
      given: ({ data }) => diffGiven(data.reviews),
      after: ({ data, id, at }, diff) => reviewed(data, afterDiff(data.reviews, diff, `${id} ${at}`)),
    },
  };
  return {
    claim,
    steps,
    /** Reviews the open claim again: after a wait for the reviewer, or when the loop is continued. */
    again: (state: State): Step | null => (state.data.reviews.claim === null ? null : claim(state, state.data)),
    afterRun: (state: State, ran: Ran): Step => {
      const { data } = state;
      return reviewed(data, afterReview(data.reviews, reviewOf(data), ran, spentIn(state)));
    },
  };
}

const spentIn = (state: State) => spentBy(state.terms, state, state.at);

export function reviewOf({ inputs }: RunData): ReviewTerms {
  if (inputs?.review === undefined) throw new Error('no agent was named for reviews');
  return inputs.review;
}

/** Names the checks that the work had to pass. */
export function promptOfReview(data: RunData): string {
  const { inputs, reviews } = data;
  const excused = excusedOf(data).map(({ command }) => command);
  const { prompt: task = '', guardrails = [] } = inputs ?? {};
  const checks = guardrails.map(({ command }) => command).filter((command) => !excused.includes(command));
  return reviewPrompt({ task, checks, reviews });
}
