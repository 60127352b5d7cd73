/** Summarises the result of a step in two words, for the views that show loops of every kind. */
import { proofSummary } from '../../core/proof/claims.ts';
import { holds } from '../../core/proof/proof.ts';
import type { SteppedOf, StepSummary } from '../../core/rules.ts';
import type { KeptVerdict, StoriesSteps } from './state.ts';

export function stepSummary(step: SteppedOf<StoriesSteps>): StepSummary | null {
  if (step.what === 'prove-base') return { isChecking: true };
  // If the proof fails, the review's approval does not count.
  if (step.what === 'prove')
    return { ...proofSummary(step.gave), ...(holds(step.gave) ? {} : { words: 'proof failed' }) };
  // A `Spoilt` result has neither a head nor a verdict.
  if (step.what === 'mark') return 'head' in step.gave ? { headBefore: step.gave.head } : null;
  if (step.what !== 'judge' || !('verdict' in step.gave)) return null;
  const { head, verdict } = step.gave;
  return { headAfter: head, words: wordsOf(verdict), isProven: verdict.kind === 'legal' && verdict.approved !== null };
}

function wordsOf(verdict: KeptVerdict): string {
  switch (verdict.kind) {
    case 'legal': {
      const { approved, sentBack, submitted } = verdict;
      if (approved !== null) return `${approved} approved`;
      if (sentBack !== null) return `${sentBack} sent back`;
      return submitted === null ? 'no change' : `${submitted} submitted`;
    }
    case 'at-cap':
      return `${verdict.story} at review cap`;
    case 'no-verdict':
      return 'no verdict';
    case 'undocumented':
      return 'not counted';
    case 'illegal':
      return 'put back';
  }
}
