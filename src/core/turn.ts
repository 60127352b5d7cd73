/**
 * Turns the crank without waiting: a Stop hook brings one result, and everything that can be done at once is done.
 * The effects come in as arguments.
 */
import type { Action } from './action.ts';
import type { LoopMachine } from './machine.ts';
import { nextRecord, type Recorded, type Result } from './record.ts';
import { isOver, type LoopState } from './state.ts';
import type { Instant } from './time.ts';

export interface TurnEffects {
  /** Does an action at once, or returns null for one whose result comes later, by another turn. */
  perform(action: Action): Result | null;
  append(record: Recorded): void;
  readonly now: Instant;
}

/** Applies `first`, if there is one, to the action that is due, then goes on as far as it can. */
export function turn<Data>(
  machine: LoopMachine<Data>,
  before: LoopState<Data>,
  first: Result | null,
  effects: TurnEffects,
): LoopState<Data> {
  let state = before;
  let brought = first;
  while (!isOver(state)) {
    const action = machine.next(state);
    const result = brought ?? resultOf(action, effects);
    brought = null;
    if (result === null) return state;
    const record = nextRecord(state, { key: action.key, result, at: effects.now });
    effects.append(record);
    state = machine.apply(state, record);
  }
  return state;
}

function resultOf(action: Action, effects: TurnEffects): Result | null {
  return action.do === 'end' ? { kind: 'ended', ending: action.ending } : effects.perform(action);
}
