/** How records change a loop's progress, and what the loop does about it. Pure. */
import type { Purpose } from '../action.ts';
import { spentBy } from '../budget/terms.ts';
import type { Checked } from '../check.ts';
import type { Ending } from '../ending.ts';
import { agentToStart } from '../faults/agent-in-turn.ts';
import type { Ran, TreeRecord } from '../record.ts';
import type { AnyRules as Rules } from '../rules.ts';
import type { LoopState } from '../state.ts';
import { withCheckNote, withRunNote } from './notes.ts';
import { judgedAfter, PIVOT, type Progress, pivotStarted, startedWith } from './progress.ts';

export function progressAtStart<Data>(
  { progress, iteration }: LoopState<Data>,
  purpose: Purpose,
  tree: TreeRecord | undefined,
): Progress {
  if (purpose === PIVOT) return pivotStarted(progress, tree);
  return purpose === 'work' && tree !== undefined ? startedWith(progress, iteration, tree) : progress;
}

export function progressAfterRun<Data>(
  rules: Rules<Data>,
  { data, iteration, progress }: LoopState<Data>,
  purpose: Purpose,
  ran: Ran,
): Progress {
  if (purpose !== 'work') return progress;
  const isClaimed = rules.isClaim?.(data, ran.said.tag) === true;
  return { ...progress, notes: withRunNote(progress.notes, iteration, ran, isClaimed) };
}

export function progressAfterCheck<Data>(rules: Rules<Data>, state: LoopState<Data>, checked: Checked): Progress {
  const { progress, iteration, data } = state;
  if (checked.isBaseline === true || rules.checks?.isExcused?.(state, checked) === true) return progress;
  const { checks = [] } = rules.about?.(data) ?? {};
  const command = checks[checked.index % Math.max(1, checks.length)] ?? checked.log;
  return { ...progress, notes: withCheckNote(progress.notes, iteration, command, checked) };
}

/** What to do at the end of an iteration: go to the next, pivot, or end the loop. */
export interface Judged {
  readonly progress: Progress;
  readonly next: 'iteration' | 'pivot' | Ending;
}

export function judgeIteration<Data>(rules: Rules<Data>, state: LoopState<Data>): Judged {
  const progress = judgedAfter(state.progress, state.iteration);
  const { stuck, pivot } = progress;
  const policy = rules.onStuck?.(state.data) ?? state.terms.onStuck ?? 'warn';
  if (stuck === null || policy === 'warn') return { progress, next: 'iteration' };
  if (policy === 'end' || pivot !== null) {
    const more = pivot === null ? '' : ', even after a different plan was made';
    const reason = `${stuck.charAt(0).toUpperCase()}${stuck.slice(1)}${more}.`;
    return { progress, next: { kind: 'stuck', reason, isBetween: true } };
  }
  // No agent is started while it is limited or without a budget: the next `inputs` handles that.
  const isFree = agentToStart(rules, state, 'work').limited === null && spentBy(state.terms, state, state.at) === null;
  return { progress, next: isFree ? 'pivot' : 'iteration' };
}
