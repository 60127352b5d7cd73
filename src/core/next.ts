/** What a loop wants done now, by its state. Pure. */
import { type Action, NO_LIMITS } from './action.ts';
import { runName } from './keys.ts';
import { type AnyRules, ruleOf, stepRule } from './rules.ts';
import type { LoopState } from './state.ts';
import { runOf, tryOf, waitKey } from './tries.ts';

export function next<Data>(rules: AnyRules<Data>, state: LoopState<Data>): Action {
  const { phase, iteration } = state;
  switch (phase.at) {
    case 'inputs':
      return {
        do: 'read-inputs',
        key: `${iteration}/inputs/${tryOf(state, 'work')}`,
        known: state.knownInputs,
        ...(rules.inputsGiven === undefined ? {} : { given: rules.inputsGiven(state.data) }),
      };
    case 'start': {
      const run = runOf(state, phase.purpose);
      const agent = rules.agent(state, phase.purpose);
      const prompt = rules.prompt(state, phase.purpose);
      const unlessClean = rules.unlessClean?.(state, phase.purpose) ?? null;
      const reason = unlessClean === null ? {} : { unlessClean };
      return { do: 'start', key: `${runName(run)}/start`, run, agent, prompt, ...reason };
    }
    case 'await': {
      const run = runOf(state, phase.purpose);
      const listen = rules.listen(state, phase.purpose);
      const agent = rules.agent(state, phase.purpose);
      return {
        do: 'await',
        key: `${runName(run)}/await`,
        run,
        agent,
        handle: phase.handle,
        listen,
        limits: rules.limits?.(state, phase.purpose) ?? NO_LIMITS,
        ...(rules.screen === undefined ? {} : { screen: rules.screen(state) }),
      };
    }
    case 'check':
      return {
        do: 'check',
        key: `${iteration}/check/${phase.index}`,
        check: ruleOf(rules, 'checks').spec(state, phase.index),
      };
    case 'publish':
      return {
        do: 'publish',
        key: `${iteration}/publish/${phase.index}`,
        what: ruleOf(rules, 'publishing').spec(state, phase.index),
      };
    case 'step': {
      const { what } = phase;
      const step = stepRule(rules, what);
      const key = `${iteration}/${what}/${tryOf(state, 'work')}`;
      return { do: 'step', key, what, given: step.given(state), outward: step.outward === true };
    }
    case 'wait':
      return { do: 'wait', key: waitKey(state, phase.then), until: phase.until, consumed: state.consumed };
    case 'end':
    case 'over':
      return { do: 'end', key: state.continued === 0 ? 'end' : `end/${state.continued + 1}`, ending: phase.ending };
  }
}
