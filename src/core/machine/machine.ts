/** The machine: `next` says what to do, `apply` what its result means. Both are pure; `turn.ts` drives them. */
import { type Action, type Handle, type RunKey, type RunLimits, runName } from '../action.ts';
import { budgetUse, leftOf, lowerOf, unwarned } from '../budget/terms.ts';
import { NO_USAGE } from '../budget/usage.ts';
import { RalphError } from '../error.ts';
import { agentOf } from '../faults/agent-choice.ts';
import { agentToStart } from '../faults/agent-in-turn.ts';
import { NO_PROGRESS } from '../progress/progress.ts';
import { promptWithTold } from '../prompt/told.ts';
import type { Recorded } from '../record.ts';
import {
  type AnyRules,
  type LoopAbout,
  type LoopRules,
  ruleOf,
  type StepSummary,
  type StepTypes,
  stepRule,
} from '../rules.ts';
import { type LoopState, type Phase, tryOf } from '../state.ts';
import { apply, leavingAfter, refuseNewer } from './apply.ts';

export interface LoopMachine<Data> {
  /** The state of a loop that has only its first record. */
  begin(first: Recorded): LoopState<Data>;
  next(state: LoopState<Data>): Action;
  apply(state: LoopState<Data>, record: Recorded): LoopState<Data>;
  about(state: LoopState<Data>): LoopAbout;
  /** The same from what the loop was started with and has read, for callers that look at single records. */
  asked(options: unknown, inputs: unknown): Asked;
  stepSummary(what: string, gave: unknown): StepSummary | null;
  /** Where a run's output is, if not in the loop's own folder; null if it is there. */
  transcript(state: LoopState<Data>, handle: Handle): string | null;
}

export function loopMachine<Data, Steps extends StepTypes, Request, Inputs>(
  typed: LoopRules<Data, Steps, Request, Inputs>,
): LoopMachine<Data> {
  // From here on, steps, requests and inputs come from the journal: data that the same rules once produced.
  const rules = typed as AnyRules<Data>;
  return {
    begin: (first) => begin(rules, first),
    next: (state) => next(rules, state),
    apply: (state, record) => apply(rules, state, record),
    about: ({ data }) => rules.about?.(data) ?? NOTHING_KNOWN,
    asked: (options, inputs) => askedBy(rules, options, inputs),
    stepSummary: (what, gave) => unlessDamaged(() => rules.stepSummary?.({ what, gave }) ?? null, null),
    transcript: ({ data }, handle) => rules.transcript?.(data, handle) ?? null,
  };
}

export interface Asked extends LoopAbout {
  /** Is what the agent said a claim? */
  isClaimed(heard: string | null): boolean;
}

const NOTHING_KNOWN: LoopAbout = { task: null, limit: null, agent: null };

/** A journal can be edited, or come from another release: what cannot be read is unknown. */
function askedBy<Data>(rules: AnyRules<Data>, options: unknown, inputs: unknown): Asked {
  return unlessDamaged(
    () => {
      const begun = rules.begin(options);
      const data = inputs === null ? begun : rules.takeInputs(begun, inputs);
      const isClaimed = (heard: string | null): boolean => rules.isClaim?.(data, heard) === true;
      return { ...(rules.about?.(data) ?? NOTHING_KNOWN), isClaimed };
    },
    { ...NOTHING_KNOWN, isClaimed: () => false },
  );
}

function unlessDamaged<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** The error code for records that are valid one by one but do not follow from one another. */
export const RECORDS_MISFIT = 'RECORDS_MISFIT';

export function fold<Data>(machine: LoopMachine<Data>, records: readonly Recorded[]): LoopState<Data> {
  const folded = folding(machine);
  for (const record of records) folded.take(record);
  return folded.state();
}

/** Takes records one by one: those of a long loop need not be in memory together. */
export function folding<Data>({ begin, apply }: LoopMachine<Data>) {
  let state: LoopState<Data> | null = null;
  return {
    take(record: Recorded): void {
      try {
        state = state === null ? begin(record) : apply(state, record);
      } catch (error) {
        if (error instanceof RalphError) throw error;
        // Records come from a disk that others can write to.
        const why = error instanceof Error ? error.message : String(error);
        throw new RalphError(RECORDS_MISFIT, `the records of the loop do not fit together: ${why}`, {
          hint: 'Its journal was edited or damaged. Start a new loop.',
        });
      }
    },
    state(): LoopState<Data> {
      if (state === null) throw new Error('a journal without a first record has no state');
      return state;
    },
  };
}

function begin<Data>(rules: AnyRules<Data>, first: Recorded): LoopState<Data> {
  refuseNewer(first);
  const { result: created, seq, at } = first;
  if (created.kind !== 'created') throw new Error(`the first record is "${created.kind}", not "created"`);
  const { id, loopKind, cwd, terms = {}, base } = created;
  return {
    id,
    loopKind,
    cwd,
    seq,
    startedAt: at,
    base: base?.commit ?? null,
    terms,
    at,
    workedMs: 0,
    waitedMs: 0,
    outageMs: 0,
    iteration: 1,
    startedIn: 0,
    tries: { work: 1 },
    phase: { at: 'inputs' },
    failuresInARow: 0,
    failures: 0,
    lastFailure: null,
    faultsInARow: 0,
    unavailable: {},
    worker: null,
    lastCommit: null,
    usage: NO_USAGE,
    knownInputs: null,
    consumed: null,
    told: [],
    continued: 0,
    leaving: leavingAfter(first),
    cutOff: null,
    progress: NO_PROGRESS,
    data: rules.begin(created.options),
  };
}

/** The loop kind's limits, reduced to what the loop may still use. */
function limitsOf<Data>(rules: AnyRules<Data>, state: LoopState<Data>, purpose: string): RunLimits {
  const own = rules.limits?.(state, purpose) ?? { timeMs: null, idleMs: null };
  const { budget, hangMs = rules.hangAfter ?? 0 } = state.terms;
  const limits = { ...own, ...(hangMs > 0 ? { hangMs } : {}) };
  if (budget === undefined) return limits;
  const left = lowerOf(limits.budget, leftOf(budget, state));
  const parts = unwarned(state.terms, state);
  const spending = [...(limits.spending ?? []), ...budgetUse(budget, state)];
  const timeLeft = budget.timeMs === undefined ? null : Math.max(1, budget.timeMs - state.workedMs);
  const isCut = budget.isSoft !== true && timeLeft !== null;
  const timeMs = isCut ? Math.min(limits.timeMs ?? timeLeft, timeLeft) : limits.timeMs;
  return {
    ...limits,
    timeMs,
    ...(left === undefined ? {} : { budget: left }),
    ...(parts.length === 0 ? {} : { unwarned: parts }),
    ...(spending.length === 0 ? {} : { spending }),
  };
}

function next<Data>(rules: AnyRules<Data>, state: LoopState<Data>): Action {
  const { id, phase, iteration, data } = state;
  const workTry = tryOf(state, 'work');
  switch (phase.at) {
    case 'inputs': {
      const given = rules.inputsGiven === undefined ? {} : { given: rules.inputsGiven(data, state.terms) };
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
      if (phase.at === 'start') {
        const { agent, fallback } = agentToStart(rules, state, purpose);
        const own = rules.prompt(state, purpose);
        const prompt = purpose === 'work' ? promptWithTold(own, state.told) : own;
        const unlessClean = rules.unlessClean?.(state, purpose) ?? null;
        const reason = unlessClean === null ? {} : { unlessClean };
        const instead = fallback === null ? {} : { fallback: fallback.name };
        const { budget, spending } = limitsOf(rules, state, purpose);
        const dollars = budget?.costUsd === undefined ? {} : { leftUsd: budget.costUsd };
        const asking = spending === undefined || agent.mode !== 'stream' ? {} : { wrapsUp: true as const };
        const more = { ...instead, ...dollars, ...asking, ...reason };
        return { do: 'start', key: `${runName(run)}/start`, run, agent, prompt, ...more };
      }
      return {
        do: 'await',
        key: `${runName(run)}/await`,
        run,
        agent: state.worker === null ? rules.agent(state, purpose) : agentOf(state.worker),
        handle: phase.handle,
        listen: rules.listen(state, purpose),
        limits: limitsOf(rules, state, purpose),
        ...(state.terms.prices === false ? { prices: false as const } : {}),
        ...(rules.screen === undefined ? {} : { screen: rules.screen(state) }),
      };
    }
    case 'check': {
      const check = ruleOf(rules, 'checks').spec(state, phase.index);
      const { index, isBaseline } = phase;
      if (isBaseline === true) return { do: 'check', key: `baseline/check/${index}`, check: { ...check, isBaseline } };
      return { do: 'check', key: `${iteration}/check/${index}`, check };
    }
    case 'publish': {
      const what = ruleOf(rules, 'publishing').spec(state, phase.index);
      return { do: 'publish', key: `${iteration}/publish/${phase.index}`, what };
    }
    case 'step': {
      const { what } = phase;
      const step = stepRule(rules, what);
      const [given, outward] = [step.given(state), step.outward === true];
      const waiting = step.isWait === true ? { isWait: true as const } : {};
      return { do: 'step', key: `${iteration}/${what}/${workTry}`, what, given, outward, ...waiting };
    }
    case 'wait': {
      const key = waitKey(phase, iteration, workTry);
      const asking = phase.asks === undefined ? {} : { isAsking: true as const };
      return { do: 'wait', key, until: phase.until, consumed: state.consumed, ...asking };
    }
    case 'end':
    case 'over':
      return { do: 'end', key: state.continued === 0 ? 'end' : `end/${state.continued + 1}`, ending: phase.ending };
  }
}

function waitKey({ then, asks }: Phase & { at: 'wait' }, iteration: number, workTry: number): string {
  if (asks !== undefined) return `${iteration}/ask/${workTry}`;
  if (then === 'next-iteration') return `${iteration}/wait`;
  return then === 'cut-off' ? `${iteration}/cut-off` : `${iteration}/again/${workTry}`;
}
