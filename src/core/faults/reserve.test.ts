import { expect, test } from 'vitest';
import { EPOCH, firstRecord, play, record } from '../../../test/support/loops/play.ts';
import { checked, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { INPUTS, rules, type State } from '../../../test/support/loops/tiny-machine.ts';
import { overReserve, type QuotaWindow } from '../budget/quota.ts';
import type { LoopTerms } from '../budget/terms.ts';
import { loopMachine } from '../machine.ts';
import type { Recorded, Result } from '../record.ts';
import { jitterOf } from './outage.ts';

const HOUR = 3_600_000;
const RESET = EPOCH + HOUR;
const UNTIL = RESET + jitterOf('loop-1');
const policy = { waits: true, budgetMs: 6 * HOUR, unitMs: 1000 };
const tiny = loopMachine({ ...rules, outages: () => policy });
const BEGUN = firstRecord('tiny');
const begin = (terms: LoopTerms): State =>
  tiny.begin({ ...BEGUN, result: { ...(BEGUN.result as Recorded['result'] & { kind: 'created' }), terms } });
const five = (used: number, resetsAt: number | null = RESET): QuotaWindow => ({ name: 'five_hour', used, resetsAt });
const workedWith = (...quota: QuotaWindow[]): Result => ({ ...(worked() as Result & { kind: 'ran' }), quota });
const next = (terms: LoopTerms, ...quota: QuotaWindow[]): State =>
  play(tiny, begin(terms), INPUTS, STARTED, workedWith(...quota), checked(0, false), WAITED, INPUTS);

test('an agent that has used more than it may is not started before its window resets, and no fault is counted', () => {
  const state = next({ reserve: 0.3 }, five(0.71));
  const reason = '71 % of its five hour window is used, and 30 % is reserved';
  expect(state).toMatchObject({
    iteration: 2,
    faultsInARow: 0,
    phase: { at: 'wait', until: UNTIL, then: 'same-iteration', for: { kind: 'reserve', reason } },
  });
  const after = tiny.apply(state, { ...record(state.seq + 1, tiny.next(state).key, WAITED), at: UNTIL });
  const inputs = { ...record(after.seq + 1, tiny.next(after).key, INPUTS), at: UNTIL };
  expect(tiny.next(tiny.apply(after, inputs))).toMatchObject({ do: 'start' });
});

test('the check of the same iteration and its other runs still happen', () => {
  const checking = play(tiny, begin({ reserve: 0.3 }), INPUTS, STARTED, workedWith(five(0.9)));
  expect(tiny.next(play(tiny, checking, checked(0, true)))).toMatchObject({ do: 'start', run: { purpose: 'second' } });
});

test.each([
  ['less is used', { reserve: 0.3 }, five(0.7)],
  ['nothing is reserved', {}, five(0.99)],
  ['the window has reset', { reserve: 0.3 }, five(0.9, EPOCH)],
  ['it is not known when the window resets', { reserve: 0.3 }, five(0.9, null)],
])('the loop goes on where %s', (_title, terms, window) => {
  expect(next(terms, window).phase).toEqual({ at: 'start', purpose: 'work' });
});

test('a fallback works meanwhile', () => {
  const codex = { name: 'codex', command: 'codex', flags: [] };
  const action = tiny.next(next({ reserve: 0.3, fallbacks: [codex] }, five(0.9)));
  expect(action).toMatchObject({ do: 'start', fallback: 'codex' });
});

test('of several windows that are used too much, the one that lasts longest counts', () => {
  const week = { name: 'seven_day', used: 0.95, resetsAt: RESET + 48 * HOUR };
  expect(overReserve([five(0.9), week, { ...week, name: 'other', used: 0.1 }], 0.3, EPOCH)).toBe(week);
});
