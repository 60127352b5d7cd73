/** How often each thing has been tried within an iteration, and the keys that this makes unique. */
import type { RunKey } from './keys.ts';
import type { LoopState } from './state.ts';

export function nextTry<Data>(state: LoopState<Data>, purpose: string): LoopState<Data> {
  return { ...state, tries: { ...state.tries, [purpose]: tryOf(state, purpose) + 1 } };
}

/** The work's try counts through its iteration, however it is come to; whatever else is run begins anew. */
export function withTry<Data>(state: LoopState<Data>, purpose: string): LoopState<Data> {
  return purpose === 'work' ? state : { ...state, tries: { ...state.tries, [purpose]: 1 } };
}

export function tryOf<Data>(state: LoopState<Data>, purpose: string): number {
  return state.tries[purpose] ?? 1;
}

export function runOf<Data>(state: LoopState<Data>, purpose: string): RunKey {
  return { loop: state.id, iteration: state.iteration, purpose, try: tryOf(state, purpose) };
}

export function waitKey<Data>(state: LoopState<Data>, then: 'next-iteration' | 'same-iteration'): string {
  return then === 'next-iteration' ? `${state.iteration}/wait` : `${state.iteration}/again/${tryOf(state, 'work')}`;
}
