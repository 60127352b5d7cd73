/** The machine: `next` says what to do, `apply` what its result means. Both are pure, and `core/turn.ts` drives it. */
import { type Action, type Handle, type RunKey, runName } from './action.ts';
import { apply, refuseNewer, tryOf } from './apply.ts';
import { RalphError } from './error.ts';
import { promptWithTold } from './prompt/told.ts';
import type { Recorded } from './record.ts';
import { type AnyRules, type LoopAbout, type LoopRules, ruleOf, type StepTypes, stepRule } from './rules.ts';
import type { LoopState } from './state.ts';
import { NO_USAGE } from './usage.ts';

export interface LoopMachine<Data> {
  /** The state of a loop that has nothing but its first record. */
  begin(first: Recorded): LoopState<Data>;
  next(state: LoopState<Data>): Action;
  apply(state: LoopState<Data>, record: Recorded): LoopState<Data>;
  about(state: LoopState<Data>): LoopAbout;
  /** Where the output of a run lies that is not in the loop's own folder; null where it is. */
  transcript(state: LoopState<Data>, handle: Handle): string | null;
}

export function loopMachine<Data, Steps extends StepTypes, Request, Inputs>(
  typed: LoopRules<Data, Steps, Request, Inputs>,
): LoopMachine<Data> {
  // From here on steps, requests and inputs are what the journal holds: data that the same rules once gave away.
  const rules = typed as AnyRules<Data>;
  return {
    begin: (first) => begin(rules, first),
    next: (state) => next(rules, state),
    apply: (state, record) => apply(rules, state, record),
    about: ({ data }) => rules.about?.(data) ?? { task: null, limit: null, agent: null },
    transcript: ({ data }, handle) => rules.transcript?.(data, handle) ?? null,
  };
}

/** The code of the error for records that are whole, each by itself, but do not follow from one another. */
export const RECORDS_MISFIT = 'RECORDS_MISFIT';

export function fold<Data>({ begin, apply }: LoopMachine<Data>, records: readonly Recorded[]): LoopState<Data> {
  const [first, ...rest] = records;
  if (first === undefined) throw new Error('a journal without a first record has no state');
  try {
    return rest.reduce(apply, begin(first));
  } catch (error) {
    if (error instanceof RalphError) throw error;
    // It comes from a disk, where others can write, too.
    const why = error instanceof Error ? error.message : String(error);
    throw new RalphError(RECORDS_MISFIT, `the records of the loop do not fit together: ${why}`, {
      hint: 'Its journal was edited or damaged. Start a new loop.',
    });
  }
}

function begin<Data>(rules: AnyRules<Data>, first: Recorded): LoopState<Data> {
  refuseNewer(first);
  const { result: created, seq, at } = first;
  if (created.kind !== 'created') throw new Error(`the first record is "${created.kind}", not "created"`);
  const { id, loopKind, cwd } = created;
  return {
    id,
    loopKind,
    cwd,
    seq,
    startedAt: at,
    at,
    workedMs: 0,
    iteration: 1,
    startedIn: 0,
    tries: { work: 1 },
    phase: { at: 'inputs' },
    failuresInARow: 0,
    failures: 0,
    lastFailure: null,
    faultsInARow: 0,
    lastCommit: null,
    usage: NO_USAGE,
    knownInputs: null,
    consumed: null,
    told: [],
    continued: 0,
    data: rules.begin(created.options),
  };
}

function next<Data>(rules: AnyRules<Data>, state: LoopState<Data>): Action {
  const { id, phase, iteration, data } = state;
  const workTry = tryOf(state, 'work');
  switch (phase.at) {
    case 'inputs': {
      const given = rules.inputsGiven === undefined ? {} : { given: rules.inputsGiven(data) };
      return {
        do: 'read-inputs',
        key: `${iteration}/inputs/${workTry}`,
        known: state.knownInputs,
        consumed: state.consumed,
        ...given,
      };
    }
    case 'start':
    case 'await': {
      const { purpose } = phase;
      const run: RunKey = { loop: id, iteration, purpose, try: tryOf(state, purpose) };
      const agent = rules.agent(state, purpose);
      if (phase.at === 'start') {
        const own = rules.prompt(state, purpose);
        const prompt = purpose === 'work' ? promptWithTold(own, state.told) : own;
        const unlessClean = rules.unlessClean?.(state, purpose) ?? null;
        const reason = unlessClean === null ? {} : { unlessClean };
        return { do: 'start', key: `${runName(run)}/start`, run, agent, prompt, ...reason };
      }
      return {
        do: 'await',
        key: `${runName(run)}/await`,
        run,
        agent,
        handle: phase.handle,
        listen: rules.listen(state, purpose),
        limits: rules.limits?.(state, purpose) ?? { timeMs: null, idleMs: null },
        ...(rules.screen === undefined ? {} : { screen: rules.screen(state) }),
      };
    }
    case 'check': {
      const check = ruleOf(rules, 'checks').spec(state, phase.index);
      return { do: 'check', key: `${iteration}/check/${phase.index}`, check };
    }
    case 'publish': {
      const what = ruleOf(rules, 'publishing').spec(state, phase.index);
      return { do: 'publish', key: `${iteration}/publish/${phase.index}`, what };
    }
    case 'step': {
      const { what } = phase;
      const step = stepRule(rules, what);
      const [given, outward] = [step.given(state), step.outward === true];
      return { do: 'step', key: `${iteration}/${what}/${workTry}`, what, given, outward };
    }
    case 'wait': {
      const key = phase.then === 'next-iteration' ? `${iteration}/wait` : `${iteration}/again/${workTry}`;
      return { do: 'wait', key, until: phase.until, consumed: state.consumed };
    }
    case 'end':
    case 'over':
      return { do: 'end', key: state.continued === 0 ? 'end' : `end/${state.continued + 1}`, ending: phase.ending };
  }
}
