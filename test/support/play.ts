/** Turns a crank with given results, as an engine would record them; the clock goes on a second per record. */
import type { Crank } from '../../src/core/crank.ts';
import type { Json } from '../../src/core/json.ts';
import { RECORD_VERSION, type Recorded, type Result } from '../../src/core/record.ts';
import type { LoopState } from '../../src/core/state.ts';

export const EPOCH = 1_700_000_000_000;
const TICK = 1000;

export function firstRecord(door: string, options: Json = {}): Recorded {
  const created = { id: 'loop-1', door, cwd: '/work', release: '0.1.0', options };
  return record(0, 'created', { kind: 'created', ...created });
}

export function record(seq: number, key: string, result: Result): Recorded {
  return { v: RECORD_VERSION, seq, at: EPOCH + seq * TICK, key, attempt: 1, result };
}

/** The record that `result` makes for the action that is due. */
export function recordOf<Data>(crank: Crank<Data>, state: LoopState<Data>, result: Result): Recorded {
  return record(state.seq + 1, crank.next(state).key, result);
}

export function play<Data>(
  crank: Crank<Data>,
  before: LoopState<Data>,
  ...results: readonly Result[]
): LoopState<Data> {
  return results.reduce((state, result) => crank.apply(state, recordOf(crank, state, result)), before);
}
