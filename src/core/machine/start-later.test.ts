/** A loop with a start time: its inputs are read at once, but no agent is started before that time. */
import { describe, expect, test } from 'vitest';
import { tiny } from '../../../test/support/loops/tiny-machine.ts';
import { firstRecord, nextRecord, type Result } from '../record.ts';
import { fold } from './machine.ts';

const NINE = 9_000_000;
const TEN = 10_000_000;
const CREATED = { id: 'l', loopKind: 'tiny', cwd: '/w', release: '0', options: null, terms: { notBefore: TEN } };
const INPUTS: Result = { kind: 'inputs', digest: 'd', inputs: 'first' };

type At = readonly [at: number, result: Result];

function stateOf(...results: readonly At[]) {
  const first = firstRecord(CREATED, NINE);
  const rest = results.map(([at, result], seq) => nextRecord({ seq }, { key: 'k', result, at }));
  return fold(tiny, [first, ...rest]);
}

describe('a loop that is to start at ten', () => {
  test('reads its inputs first, then waits until ten', () => {
    expect(tiny.next(stateOf())).toMatchObject({ do: 'read-inputs' });
    expect(tiny.next(stateOf([NINE, INPUTS]))).toMatchObject({ do: 'wait', until: TEN });
  });

  test('reads its inputs again at ten and starts', () => {
    const state = stateOf([NINE, INPUTS], [TEN, { kind: 'waited' }], [TEN, INPUTS]);
    expect(tiny.next(state)).toMatchObject({ do: 'start', run: { iteration: 1, try: 1 } });
  });

  test('does not count the wait as work', () => {
    expect(stateOf([NINE, INPUTS], [TEN, { kind: 'waited' }], [TEN + 5, INPUTS]).workedMs).toBe(5);
  });

  test('that is paused and resumed before ten still waits until ten', () => {
    const paused: Result = { kind: 'waited', command: 'pause' };
    const resumed: Result = { kind: 'waited', command: 'resume' };
    const state = stateOf([NINE, INPUTS], [NINE + 1, paused], [NINE + 2, resumed], [NINE + 3, INPUTS]);
    expect(tiny.next(state)).toMatchObject({ do: 'wait', until: TEN });
  });

  test('that is stopped before ten can be continued, and waits again', () => {
    const stopped: Result = { kind: 'waited', command: 'stop' };
    const ended: Result = { kind: 'ended', ending: { kind: 'stopped' } };
    const continued: Result = { kind: 'continued' };
    const state = stateOf([NINE, INPUTS], [NINE, stopped], [NINE, ended], [NINE + 9, continued], [NINE + 9, INPUTS]);
    expect(tiny.next(state)).toMatchObject({ do: 'wait', until: TEN });
  });

  test('does not wait a second time if the clock is set back after its first agent', () => {
    const handle = { name: 'h' } as never;
    const started: Result = { kind: 'started', handle };
    const cut: Result = { kind: 'interrupted', reason: 'r' };
    const state = stateOf([TEN, INPUTS], [TEN, started], [TEN, cut], [NINE, { kind: 'waited' }], [NINE, INPUTS]);
    expect(tiny.next(state)).toMatchObject({ do: 'start' });
  });
});
