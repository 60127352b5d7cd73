/** Before the first agent is started: what the guardrails say, in the work tree and in a clean checkout. Pure. */
import { type Checked, hasPassed } from '../../core/check.ts';
import type { Ending } from '../../core/ending.ts';
import { nextRed, withEverRed } from '../../core/proof/claims.ts';
import type { BaseGave } from '../../core/proof/proof.ts';
import type { Go as GoTo, Step as StepTo } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { withChecked } from './baseline.ts';
import { needsBase, whyNotBegun, whyOnlyThere, withBase } from './proof.ts';
import { inputsOf, type RunData, type RunSteps } from './state.ts';

type State = LoopState<RunData>;
type Go = GoTo<keyof RunSteps>;
type Step = StepTo<RunData, keyof RunSteps>;

/** Runs the guardrails once, before the first agent starts; null when none is left. */
export function checkBaseline({ data, startedIn }: State): Step | null {
  const { request, baseline } = data;
  const index = baseline.checked;
  const isWanted = request.baseline === 'show' || request.baseline === 'excuse';
  if (!isWanted || startedIn > 0 || index >= inputsOf(data).guardrails.length) return null;
  return { data, go: { to: 'check', index, isBaseline: true } };
}

/** Without a baseline: runs in the work tree what failed in the clean checkout, to see whether it fails only there. */
export function checkRed({ startedIn }: Pick<State, 'startedIn'>, data: RunData, from: number): Step | null {
  const { base } = data.proof;
  if (base === null || startedIn > 0 || data.request.baseline !== 'off') return null;
  const index = nextRed(base, from);
  return index === null ? null : { data, go: { to: 'check', index, isBaseline: true } };
}

export function afterBaseline(state: State, checked: Checked): Step {
  const { data: before } = state;
  const { base } = before.proof;
  if (base !== null) {
    const ending = whyOnlyThere(base, inputsOf(before), checked);
    if (ending !== null) return { data: before, go: endWith(ending) };
    return checkRed(state, before, checked.index + 1) ?? { data: before, go: TO_WORK };
  }
  const { guardrails } = inputsOf(before);
  const { command = '' } = guardrails[checked.index] ?? {};
  const proof = hasPassed(checked) ? before.proof : withEverRed(before.proof, [command]);
  const data = { ...before, baseline: withChecked(before.baseline, command, checked), proof };
  const index = checked.index + 1;
  if (index < guardrails.length) return { data, go: { to: 'check', index, isBaseline: true } };
  return proveBase({ ...state, data }) ?? { data, go: TO_WORK };
}

/** Makes the base proof before the first agent starts: what a proof lacks should show now, not after a night. */
export function proveBase(state: State): Step | null {
  return needsBase(state) ? { data: state.data, go: { to: 'step', what: 'prove-base' } } : null;
}

export function afterBaseProof(state: State, gave: BaseGave): Step {
  const { data: before } = state;
  const ending = whyNotBegun(gave, inputsOf(before), before);
  if (ending !== null || 'impossible' in gave) return { data: before, go: ending === null ? TO_WORK : endWith(ending) };
  const data = withBase(before, gave);
  return checkRed(state, data, 0) ?? { data, go: TO_WORK };
}

const TO_WORK: Go = { to: 'run', purpose: 'work' };
const endWith = (ending: Ending): Go => ({ to: 'end', ending });
