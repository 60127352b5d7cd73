/**
 * The machine: `next` says what to do, `apply` says what its result means. Both are pure. Every turner (the outer loop,
 * a Stop hook, a fleet worker) turns this one; there is no second opinion anywhere.
 */
import type { Action } from './action.ts';
import { apply, refuseNewer } from './apply.ts';
import { RalphError } from './error.ts';
import { next } from './next.ts';
import type { Recorded } from './record.ts';
import type { AnyRules, LoopRules, StepTypes } from './rules.ts';
import type { LoopState } from './state.ts';
import { NO_USAGE } from './usage.ts';

export interface LoopMachine<Data> {
  /** The state of a loop that has nothing but its first record. */
  begin(first: Recorded): LoopState<Data>;
  next(state: LoopState<Data>): Action;
  apply(state: LoopState<Data>, record: Recorded): LoopState<Data>;
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
  };
}

/** The code of the error for records that are whole, each by itself, but do not follow from one another. */
export const RECORDS_MISFIT = 'RECORDS_MISFIT';

/** Folds a whole journal. */
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
  const created = first.result;
  if (created.kind !== 'created') throw new Error(`the first record is "${created.kind}", not "created"`);
  return {
    id: created.id,
    loopKind: created.loopKind,
    cwd: created.cwd,
    seq: first.seq,
    startedAt: first.at,
    at: first.at,
    workedMs: 0,
    iteration: 1,
    tries: { work: 1 },
    phase: { at: 'inputs' },
    failuresInARow: 0,
    failures: 0,
    lastFailure: null,
    faultsInARow: 0,
    usage: NO_USAGE,
    knownInputs: null,
    consumed: null,
    continued: 0,
    data: rules.begin(created.options),
  };
}
