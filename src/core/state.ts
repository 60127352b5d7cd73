/** The state of a loop, folded from its records. */
import type { Handle, Purpose, Until } from './action.ts';
import type { LoopTerms } from './budget/terms.ts';
import type { Usage } from './budget/usage.ts';
import type { Ending } from './ending.ts';
import type { UnavailableAgents, Worker } from './faults/agent-choice.ts';
import type { OutageWait } from './faults/outage.ts';
import type { Progress } from './progress/progress.ts';
import type { Told } from './prompt/told.ts';
import type { Duration, Instant } from './time.ts';

export interface LoopState<Data> {
  readonly id: string;
  readonly loopKind: string;
  readonly cwd: string;
  readonly seq: number;
  readonly startedAt: Instant;
  /** The commit that was checked out when it began; null if none, or unknown. */
  readonly base: string | null;
  readonly terms: LoopTerms;
  readonly at: Instant;
  /** How long supervisors have driven it: without pauses, and without the time between one supervisor and the next. */
  readonly workedMs: Duration;
  /** How long it has waited for usage limits and outages; not part of `workedMs`. */
  readonly waitedMs: Duration;
  /** What was taken from the outage budget: waits that count against it, and the time lost to hangs. */
  readonly outageMs: Duration;
  /** Counts from 1. */
  readonly iteration: number;
  /** The last iteration in which an agent was started for the work; 0 if none. */
  readonly startedIn: number;
  /** The current try of each purpose in this iteration; a purpose not yet tried is absent. */
  readonly tries: Readonly<Record<Purpose, number>>;
  readonly phase: Phase;
  readonly failuresInARow: number;
  readonly failures: number;
  /** The last failure, such as `exit 1: no such file`. */
  readonly lastFailure: string | null;
  readonly faultsInARow: number;
  readonly unavailable: UnavailableAgents;
  /** The agent that was started last, or null. */
  readonly worker: Worker | null;
  /** The last commit that the loop itself made. */
  readonly lastCommit: string | null;
  readonly usage: Usage;
  readonly knownInputs: string | null;
  readonly consumed: string | null;
  /** For the next prompt of the work; kept until a run that was given it has worked. */
  readonly told: readonly Told[];
  readonly continued: number;
  /** How its last supervisor left it, as far as the last record says. */
  readonly leaving: Leaving;
  /** The phase that a command cut off, to be done again when the loop continues; null if none. */
  readonly cutOff: Phase | null;
  /** The results of its last iterations, and whether the loop makes progress. */
  readonly progress: Progress;
  readonly data: Data;
}

/** `unsaid`: it did not record that it left. `unknown`: a release that never did so wrote the last record. */
export type Leaving = { readonly is: 'unsaid' | 'unknown' } | { readonly is: 'left'; readonly by: string | null };

export type Phase =
  | { readonly at: 'inputs' }
  | { readonly at: 'start'; readonly purpose: Purpose }
  | { readonly at: 'await'; readonly purpose: Purpose; readonly handle: Handle }
  | { readonly at: 'check'; readonly index: number; readonly isBaseline?: true }
  | { readonly at: 'publish'; readonly index: number }
  | { readonly at: 'step'; readonly what: string }
  /** `then`: `cut-off` continues with what a command cut off (`LoopState.cutOff`). */
  | {
      readonly at: 'wait';
      readonly until: Until;
      readonly then: 'first-iteration' | 'next-iteration' | 'same-iteration' | 'cut-off';
      /** The fault that it waits out, if any. */
      readonly for?: OutageWait;
      /** A fallback that cannot be used, and why; absent if none. */
      readonly dropped?: { readonly agent: string; readonly reason: string };
      /** The agent's question to a person, if any: the answer ends the wait. */
      readonly asks?: string;
    }
  | { readonly at: 'end' | 'over'; readonly ending: Ending };

export function isOver<Data>(state: LoopState<Data>): state is LoopState<Data> & { phase: { at: 'over' } } {
  return state.phase.at === 'over';
}

/** The loop waits for a person and does not work. */
export function isPaused({ phase }: Pick<LoopState<unknown>, 'phase'>): boolean {
  return phase.at === 'wait' && phase.until === 'command';
}

/** The question that the loop waits to have answered, or null. */
export function questionOf({ phase }: Pick<LoopState<unknown>, 'phase'>): string | null {
  return phase.at === 'wait' ? (phase.asks ?? null) : null;
}

/** Idle on purpose: paused, or before its start time. That time does not count as worked. */
export function isAtRest({ phase }: Pick<LoopState<unknown>, 'phase'>): boolean {
  return phase.at === 'wait' && (phase.until === 'command' || phase.then === 'first-iteration');
}

/** In how many iterations an agent was started. */
export const startedIterations = ({ startedIn }: Pick<LoopState<unknown>, 'startedIn'>): number => startedIn;

/** Tries of a purpose are counted within an iteration, however it is reached, so no two starts have the same key. */
export function tryOf<Data>({ tries }: LoopState<Data>, purpose: Purpose): number {
  return tries[purpose] ?? 1;
}

export function nextTry<Data>(state: LoopState<Data>, purpose: Purpose): LoopState<Data> {
  return { ...state, tries: { ...state.tries, [purpose]: tryOf(state, purpose) + 1 } };
}

/** Counts a try as it begins. Tries of the work are counted where it is tried again instead. */
export function withTryOf<Data>(state: LoopState<Data>, purpose: Purpose): LoopState<Data> {
  if (purpose === 'work') return state;
  return { ...state, tries: { ...state.tries, [purpose]: (state.tries[purpose] ?? 0) + 1 } };
}

export function end<Data>(state: LoopState<Data>, ending: Ending): LoopState<Data> {
  return { ...state, phase: { at: 'end', ending } };
}

export function nextIteration<Data>(state: LoopState<Data>): LoopState<Data> {
  return { ...state, iteration: state.iteration + 1, tries: { work: 1 } };
}

/** Returns to the phase that a command cut off. */
export function withCutOff<Data>(state: LoopState<Data>): LoopState<Data> {
  return { ...state, phase: state.cutOff ?? { at: 'inputs' }, cutOff: null };
}
