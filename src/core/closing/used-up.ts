/** For a loop that has used up its limit or budget: continued without more, it would end again at once. Pure. */
import { type LoopTerms, largerBudget } from '../budget/terms.ts';
import { plural } from '../budget/usage.ts';
import type { Ending } from '../ending.ts';
import { RalphError } from '../error.ts';
import { spentAfter } from '../machine/continue.ts';
import type { LoopState } from '../state.ts';
import type { Instant } from '../time.ts';
import { budgetUseWords } from './closing-summary.ts';

/** `reached its limit of 10 iterations`, `cost $1.00 of $0.90 (--max-cost)`; null for any other ending. */
export function usedUpWords(ending: Ending): string | null {
  if (ending.kind === 'iteration-limit') return `reached its limit of ${plural(ending.limit, 'iteration')}`;
  return ending.kind === 'budget' && ending.of !== 'until' ? budgetUseWords(ending) : null;
}

/** Thrown before anything is started. `name`: as lists show it; `command`: the one that continues it with more. */
export function usedUpError(ending: Ending, name: string, command: string): RalphError {
  return new RalphError('USED_UP', `loop ${name} has ${usedUpWords(ending)}`, { hint: `To continue, run: ${command}` });
}

/** Refuses to continue a loop that is over if one of its budgets is used up, unless the new terms raise it. */
export function refuseSpent<Data>(
  state: LoopState<Data>,
  terms: LoopTerms | undefined,
  { at, name, resume }: { readonly at: Instant; readonly name: string; readonly resume: string },
): void {
  const spent = state.phase.at === 'over' ? spentAfter(state, terms, at) : null;
  if (spent?.kind === 'budget' && spent.of !== 'until')
    throw usedUpError(spent, name, `${resume} ${largerBudget(spent)}`);
}
