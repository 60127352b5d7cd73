/** Drives a loop: asks the machine what to do, records the result, and repeats. It performs nothing itself. */
import type { Action } from '../action.ts';
import type { Ending } from '../ending.ts';
import { nextRecord, type Recorded, type RecordMade, type Result } from '../record.ts';
import { isOver, type LoopState } from '../state.ts';
import type { Instant } from '../time.ts';
import type { LoopMachine } from './machine.ts';

/** What to do now, the state that asks for it, and the record that led there, if this turn made one. */
export interface Turn<Data> {
  readonly action: Action;
  readonly state: LoopState<Data>;
  readonly record: Recorded | null;
}

type Over<Data> = Omit<Turn<Data>, 'action'> & { readonly ending: Ending };

/** The result of the action. */
export type Taken = Omit<RecordMade, 'key'>;

/** A record is appended before any state depends on it. */
export function* turns<Data>(
  machine: LoopMachine<Data>,
  before: LoopState<Data>,
  append: (record: Recorded) => void,
): Generator<Turn<Data>, Over<Data>, Taken> {
  let state = before;
  let record: Recorded | null = null;
  while (!isOver(state)) {
    const action = machine.next(state);
    const taken: Taken = yield { action, state, record };
    record = nextRecord(state, { ...taken, key: action.key });
    append(record);
    state = machine.apply(state, record);
  }
  return { state, record, ending: state.phase.ending };
}

/** Applies `first`, if given, to the action that is due, then continues until `perform` returns null. */
export function turnAtOnce<Data>(
  machine: LoopMachine<Data>,
  before: LoopState<Data>,
  first: Result | null,
  effects: { perform(action: Action): Result | null; append(record: Recorded): void; readonly now: Instant },
): LoopState<Data> {
  const turning = turns(machine, before, effects.append);
  let turn = turning.next();
  let brought = first;
  while (turn.done !== true) {
    const { action, state } = turn.value;
    const result = brought ?? (action.do === 'end' ? endedBy(action) : effects.perform(action));
    brought = null;
    if (result === null) return state;
    turn = turning.next({ result, at: effects.now });
  }
  return turn.value.state;
}

/** An `end` needs no performer. */
export const endedBy = ({ ending }: Extract<Action, { do: 'end' }>): Result => ({ kind: 'ended', ending });
