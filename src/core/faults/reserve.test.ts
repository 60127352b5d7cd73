import { describe, expect, test } from 'vitest';
import { EPOCH, firstRecord, play, record } from '../../../test/support/loops/play.ts';
import { checked, ran, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { INPUTS, rules, type State } from '../../../test/support/loops/tiny-machine.ts';
import { overReserve, type QuotaWindow } from '../budget/quota.ts';
import type { LoopTerms } from '../budget/terms.ts';
import { loopMachine } from '../machine/machine.ts';
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
const LIMITED = ran({ kind: 'limit', reason: 'no more', resetAt: RESET + HOUR });
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

test('the check and the other runs of the same iteration still happen', () => {
  const checking = play(tiny, begin({ reserve: 0.3 }), INPUTS, STARTED, workedWith(five(0.9)));
  expect(tiny.next(play(tiny, checking, checked(0, true)))).toMatchObject({ do: 'start', run: { purpose: 'second' } });
});

test.each([
  ['less is used', { reserve: 0.3 }, five(0.7)],
  ['nothing is reserved', {}, five(0.99)],
  ['the window has reset', { reserve: 0.3 }, five(0.9, EPOCH)],
  ['it is not known when the window resets', { reserve: 0.3 }, five(0.9, null)],
])('the loop continues if %s', (_title, terms, window) => {
  expect(next(terms, window).phase).toEqual({ at: 'start', purpose: 'work' });
});

test('a fallback works in the meantime', () => {
  const codex = { name: 'codex', command: 'codex', flags: [] };
  const action = tiny.next(next({ reserve: 0.3, fallbacks: [codex] }, five(0.9)));
  expect(action).toMatchObject({ do: 'start', fallback: 'codex' });
});

test('of several windows over the limit, the one that lasts longest counts', () => {
  const week = { name: 'seven_day', used: 0.95, resetsAt: RESET + 48 * HOUR };
  expect(overReserve([five(0.9), week, { ...week, name: 'other', used: 0.1 }], 0.3, EPOCH)).toBe(week);
});

describe('usage that was reported in another loop', () => {
  const told = (agent: string, ...windows: QuotaWindow[]): Result => ({
    ...(INPUTS as Result & { kind: 'inputs' }),
    quota: [{ agent, at: EPOCH - 5 * 60_000, windows }],
  });

  test('already counts for the first run, and says how old it is', () => {
    const state = play(tiny, begin({ reserve: 0.3 }), told('work-agent', five(0.8)));
    const reason = expect.stringMatching(
      /^80 % of its five hour window is used \(as of 5m\ds ago\), and 30 % is reserved$/,
    );
    expect(state).toMatchObject({
      startedIn: 0,
      phase: { at: 'wait', until: UNTIL, for: { kind: 'reserve', reason } },
    });
  });

  test.each([
    ['nothing is reserved', {}, told('work-agent', five(0.8))],
    ['less is used', { reserve: 0.3 }, told('work-agent', five(0.7))],
    ['its window has reset', { reserve: 0.3 }, told('work-agent', five(0.8, EPOCH))],
    ['it is about another agent', { reserve: 0.3 }, told('other', five(0.8))],
  ])('delays nothing if %s', (_title, terms, inputs) => {
    expect(play(tiny, begin(terms), inputs).phase).toEqual({ at: 'start', purpose: 'work' });
  });

  test('is about the first model of a program only', () => {
    const models = ['opus', 'sonnet'].map((name) => ({ name, command: '/bin/claude', flags: ['--model', name] }));
    const quota = ['work-agent', 'claude'].map((agent) => ({ agent, at: EPOCH, windows: [five(0.9)] }));
    const inputs = { ...(INPUTS as Result & { kind: 'inputs' }), quota };
    const state = play(tiny, begin({ reserve: 0.3, fallbacks: models }), inputs);
    expect(tiny.next(state)).toMatchObject({ do: 'start', fallback: 'sonnet' });
  });

  test('does not shorten the wait for a limit', () => {
    const limited = play(
      tiny,
      begin({ reserve: 0.3 }),
      INPUTS,
      STARTED,
      LIMITED,
      WAITED,
      told('work-agent', five(0.8)),
    );
    expect(limited.phase).toMatchObject({ until: RESET + HOUR + jitterOf('loop-1'), for: { kind: 'limit' } });
  });
});
