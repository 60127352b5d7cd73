/** What a loop is, folded from its records. */
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
  /** The commit that was checked out when it began; null for none, or where that is not known. */
  readonly base: string | null;
  readonly terms: LoopTerms;
  readonly at: Instant;
  /** How long a supervisor has driven it: without pauses, and without the time in which it stood still after one had left it. */
  readonly workedMs: Duration;
  /** How long it has waited for usage limits and outages; not part of the above. */
  readonly waitedMs: Duration;
  /** What of that was taken from the outage budget. */
  readonly outageMs: Duration;
  /** Counts from 1. */
  readonly iteration: number;
  /** The last one in which an agent was started for the work; 0 for none. */
  readonly startedIn: number;
  /** The current try of each purpose in this iteration; a purpose not yet tried is absent. */
  readonly tries: Readonly<Record<Purpose, number>>;
  readonly phase: Phase;
  readonly failuresInARow: number;
  readonly failures: number;
  /** What the last of them was, as `exit 1: no such file`. */
  readonly lastFailure: string | null;
  readonly faultsInARow: number;
  readonly unavailable: UnavailableAgents;
  /** The agent that was started last; null for none. */
  readonly worker: Worker | null;
  /** The last one that the loop itself made. */
  readonly lastCommit: string | null;
  readonly usage: Usage;
  readonly knownInputs: string | null;
  readonly consumed: string | null;
  /** For the next prompt of the work, until a run that was given it has worked. */
  readonly told: readonly Told[];
  readonly continued: number;
  /** How its last supervisor left it, as far as the last record says. */
  readonly leaving: Leaving;
  /** What a command cut off, to be done again when the loop goes on; null for nothing. */
  readonly cutOff: Phase | null;
  /** What its last iterations came to, and whether it gets on. */
  readonly progress: Progress;
  readonly data: Data;
}

/** `unsaid`: it did not say that it leaves. `unknown`: an earlier release wrote the last record, and never said so. */
export type Leaving = { readonly is: 'unsaid' | 'unknown' } | { readonly is: 'left'; readonly by: string | null };

export type Phase =
  | { readonly at: 'inputs' }
  | { readonly at: 'start'; readonly purpose: Purpose }
  | { readonly at: 'await'; readonly purpose: Purpose; readonly handle: Handle }
  | { readonly at: 'check'; readonly index: number; readonly isBaseline?: true }
  | { readonly at: 'publish'; readonly index: number }
  | { readonly at: 'step'; readonly what: string }
  /** `then`: `cut-off` is what a command has cut off (`LoopState.cutOff`). */
  | {
      readonly at: 'wait';
      readonly until: Until;
      readonly then: 'first-iteration' | 'next-iteration' | 'same-iteration' | 'cut-off';
      /** The fault that it waits out; absent for none. */
      readonly for?: OutageWait;
      /** A fallback that cannot be used, and why; absent for none. */
      readonly dropped?: { readonly agent: string; readonly reason: string };
      /** What its agent asks a person: the answer ends the wait. Absent for nothing. */
      readonly asks?: string;
    }
  | { readonly at: 'end' | 'over'; readonly ending: Ending };

export function isOver<Data>(state: LoopState<Data>): state is LoopState<Data> & { phase: { at: 'over' } } {
  return state.phase.at === 'over';
}

/** It waits for a person, and does not work. */
export function isPaused({ phase }: Pick<LoopState<unknown>, 'phase'>): boolean {
  return phase.at === 'wait' && phase.until === 'command';
}

/** What the loop waits to have answered; null for nothing. */
export function questionOf({ phase }: Pick<LoopState<unknown>, 'phase'>): string | null {
  return phase.at === 'wait' ? (phase.asks ?? null) : null;
}

/** It does nothing on purpose: it is paused, or its time to start has not come. That is no time worked. */
export function isAtRest({ phase }: Pick<LoopState<unknown>, 'phase'>): boolean {
  return phase.at === 'wait' && (phase.until === 'command' || phase.then === 'first-iteration');
}

/** In how many iterations an agent was started. */
export const startedIterations = ({ startedIn }: Pick<LoopState<unknown>, 'startedIn'>): number => startedIn;

/** Tries count through their iteration, however a purpose is come to: no two starts have the same key. */
export function tryOf<Data>({ tries }: LoopState<Data>, purpose: Purpose): number {
  return tries[purpose] ?? 1;
}

export function nextTry<Data>(state: LoopState<Data>, purpose: Purpose): LoopState<Data> {
  return { ...state, tries: { ...state.tries, [purpose]: tryOf(state, purpose) + 1 } };
}

/** The work's try is counted where it is tried again. */
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

/** What a command cut off is done again. */
export function withCutOff<Data>(state: LoopState<Data>): LoopState<Data> {
  return { ...state, phase: state.cutOff ?? { at: 'inputs' }, cutOff: null };
}
