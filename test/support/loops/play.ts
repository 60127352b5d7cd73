/** Runs a loop machine on given results, as an engine would record them; the clock advances a second per record. */

import type { LoopMachine } from '../../../src/core/machine/machine.ts';
import { RECORD_VERSION, type Recorded, type Result } from '../../../src/core/record.ts';
import type { LoopState } from '../../../src/core/state.ts';
import type { Json } from '../../../src/core/text/json.ts';

export const EPOCH = 1_700_000_000_000;
const TICK = 1000;

export function firstRecord(loopKind: string, options: Json = {}): Recorded {
  const created = { id: 'loop-1', loopKind, cwd: '/work', release: '0.1.0', options };
  return record(0, 'created', { kind: 'created', ...created });
}

export function record(seq: number, key: string, result: Result): Recorded {
  return { v: RECORD_VERSION, seq, at: EPOCH + seq * TICK, key, attempt: 1, result };
}

/** The record of `result` for the next action. */
export function recordOf<Data>(machine: LoopMachine<Data>, state: LoopState<Data>, result: Result): Recorded {
  return record(state.seq + 1, machine.next(state).key, result);
}

export function play<Data>(
  machine: LoopMachine<Data>,
  before: LoopState<Data>,
  ...results: readonly Result[]
): LoopState<Data> {
  return results.reduce((state, result) => machine.apply(state, recordOf(machine, state, result)), before);
}
