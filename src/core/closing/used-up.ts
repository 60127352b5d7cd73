/** For a loop that has used up its limit or budget: continued without more, it would end again at once. Pure. */
import { type BudgetUse, type LoopTerms, largerBudget } from '../budget/terms.ts';
import { plural } from '../budget/usage.ts';
import type { Ending } from '../ending.ts';
import { RalphError } from '../error.ts';
import { spentAfter } from '../machine/continue.ts';
import type { LoopState } from '../state.ts';
import type { Instant } from '../time.ts';
import { budgetUseWords } from './closing-summary.ts';

type UsedUp = Extract<Ending, { readonly kind: 'iteration-limit' }> | (BudgetUse & { readonly kind: 'budget' });

/** `reached its limit of 10 iterations`, `cost $1.00 of $0.90 (--max-cost)` */
function wordsOf(ending: UsedUp): string {
  if (ending.kind === 'budget') return budgetUseWords(ending);
  return `reached its limit of ${plural(ending.limit, 'iteration')}`;
}

/** Null for an ending that used nothing up. */
export function usedUpWords(ending: Ending): string | null {
  if (ending.kind === 'iteration-limit') return wordsOf(ending);
  return ending.kind === 'budget' && ending.of !== 'until' ? wordsOf(ending) : null;
}

/** Thrown before anything is started. `name`: as lists show it; `command`: the one that continues it with more. */
export function usedUpError(ending: UsedUp, name: string, command: string): RalphError {
  return new RalphError('USED_UP', `loop ${name} has ${wordsOf(ending)}`, { hint: `To continue, run: ${command}` });
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
