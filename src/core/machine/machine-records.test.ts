/** Which records a loop machine accepts: those that follow from one another, of a release that it knows. */
import { describe, expect, test } from 'vitest';
import { firstRecord, play, record, recordOf } from '../../../test/support/loops/play.ts';
import { checked, failed, published, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import {
  begun,
  checking,
  INPUTS,
  NEXT,
  publishing,
  type State,
  tiny,
  working,
} from '../../../test/support/loops/tiny-machine.ts';
import { RECORD_VERSION, type Result } from '../record.ts';
import { fold, RECORDS_MISFIT } from './machine.ts';

describe('records that no engine would have written are refused', () => {
  const results: readonly Result[] = [INPUTS, STARTED, worked(), checked(0, true), published(0), WAITED];
  const phases: readonly State[] = [
    begun,
    play(tiny, begun, INPUTS),
    working,
    checking,
    publishing,
    play(tiny, working, failed()),
  ];

  test('a result in a phase that did not ask for it', () => {
    for (const [wanted, state] of phases.entries()) {
      for (const [given, result] of results.entries()) {
        const refusal = `a "${result.kind}" record in phase "${state.phase.at}"`;
        expect(refusalOf(() => play(tiny, state, result))).toBe(given === wanted ? null : refusal);
      }
    }
    expect(() => play(tiny, working, { kind: 'unstartable', reason: 'r' })).toThrow(
      'a "unstartable" record in phase "await"',
    );
  });

  test('a record of a newer version', () => {
    expect(() => tiny.apply(begun, { ...record(1, '1/inputs/1', INPUTS), v: RECORD_VERSION + 1 })).toThrow(
      'a newer release wrote it',
    );
  });

  test('a second beginning, an empty journal, and one that begins with anything else', () => {
    expect(() => play(tiny, begun, firstRecord('tiny').result)).toThrow('begins the loop a second time');
    expect(() => fold(tiny, [])).toThrow('without a first record');
    expect(() => fold(tiny, [record(0, 'x', WAITED)])).toThrow('the first record is "waited"');
  });
});

test('records that do not follow from one another are damage, not a bug: exit 2', () => {
  const wrong = [firstRecord('tiny'), record(1, '1/inputs/1', INPUTS), record(2, '1/check/0', checked(0, true))];
  expect(() => fold(tiny, wrong)).toThrow(
    expect.objectContaining({ code: RECORDS_MISFIT, advice: expect.objectContaining({ exitCode: 2 }) }),
  );
});

test('folding a journal gives the same state as running the loop', () => {
  const first = firstRecord('tiny');
  const records = [first];
  let state = tiny.begin(first);
  for (const result of [INPUTS, STARTED, failed(), ...NEXT, worked(), checked(0, true)]) {
    const made = recordOf(tiny, state, result);
    records.push(made);
    state = tiny.apply(state, made);
  }
  expect(fold(tiny, records)).toEqual(state);
});

function refusalOf(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'not an error';
  }
}
