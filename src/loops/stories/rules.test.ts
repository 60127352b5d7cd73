import { describe, expect, test } from 'vitest';
import { play } from '../../../test/support/loops/play.ts';
import { failed, INTERRUPTED, ran, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import {
  begun,
  inputs,
  judged,
  legal,
  MARKED,
  machine,
  PUT_BACK,
  ranIn,
  stepped,
} from '../../../test/support/stories/iterations.ts';

describe('before an iteration', () => {
  test.each([
    [
      { is: 'invalid', reason: 'r' },
      { kind: 'configuration', reason: 'r' },
    ],
    [{ is: 'complete' }, { kind: 'done' }],
    [
      { is: 'waiting', reason: 'r' },
      { kind: 'blocked', reason: 'r' },
    ],
  ] as const)('a list that is %j ends the loop', (state, ending) => {
    expect(machine.next(play(machine, begun, inputs({ list: state })))).toMatchObject({ do: 'end', ending });
  });

  test('the iteration records what it begins with', () => {
    expect(machine.next(play(machine, begun, inputs({})))).toEqual({
      do: 'step',
      key: '1/mark/1',
      what: 'mark',
      given: { iteration: 1, mode: 'implement', story: 'A', tasks: 't1', stuckCount: 0 },
      outward: false,
    });
  });

  test('what an interrupted run wrote is undone, under a new try, but not what a person edits in a pause', () => {
    const cutOff = play(machine, begun, inputs({}), MARKED, STARTED, INTERRUPTED, WAITED, inputs({ tasks: 't2' }));
    expect(machine.next(cutOff)).toMatchObject({
      do: 'step',
      what: 'put-back',
      outward: true,
      given: { why: 'interrupted', tasks: 't1' },
    });
    const again = play(machine, cutOff, PUT_BACK, WAITED, inputs({}), MARKED);
    expect(machine.next(again)).toMatchObject({ do: 'start', key: '1/work/3/start' });

    const counted = play(machine, ranIn('implement', worked(null, 'w')), judged(), WAITED, inputs({ tasks: 't3' }));
    expect(machine.next(counted)).toMatchObject({ do: 'step', what: 'mark', given: { tasks: 't3' } });
  });
});

test('what changed between two iterations is undone, and three in a row end the loop', () => {
  const between = { tasks: 't1', prd: 'd1', reason: 'r' };
  const first = play(machine, begun, inputs({ tasks: 't2', between }));
  expect(machine.next(first)).toMatchObject({ what: 'put-back', given: { why: 'between', tasks: 't1', prd: 'd1' } });
  const second = play(machine, first, PUT_BACK, WAITED, inputs({ tasks: 't2', between }));
  expect(second).toMatchObject({ iteration: 1, data: { note: 'r', tamperedInARow: 2 } });
  const third = play(machine, second, PUT_BACK, WAITED, inputs({ tasks: 't2', between }), PUT_BACK);
  expect(machine.next(third)).toMatchObject({ do: 'end', ending: { kind: 'tampered' } });
});

describe('a run that did not work', () => {
  test.each([
    ['failed', failed(1), { do: 'wait' }],
    ['met a usage limit', ran({ kind: 'limit', reason: 'r', resetAt: null }), { do: 'wait', key: '1/again/2' }],
    ['was refused', ran({ kind: 'auth', reason: 'r' }), { do: 'end', ending: { kind: 'auth' } }],
    ['had an outage', ran({ kind: 'infrastructure', reason: 'r' }), { do: 'wait', key: '1/again/2' }],
  ])('because it %s: the list is restored first, then the loop continues as usual', (_title, result, then) => {
    const touched = play(
      machine,
      ranIn('review', result),
      judged({ tasks: 't2', verdict: { kind: 'illegal', reason: 'x' } }),
    );
    expect(machine.next(touched)).toMatchObject({ do: 'step', what: 'put-back', given: { why: 'failed' } });
    const after = play(machine, touched, PUT_BACK);
    expect(machine.next(after)).toMatchObject(then);
    expect(after.data.tamperedInARow).toBe(0);
    expect(machine.next(play(machine, ranIn('review', result), judged()))).toMatchObject(then);
  });
});

describe('a person is needed', () => {
  test.each([
    ['a review without a verdict', 'review', { kind: 'no-verdict', reason: 'r' }],
    ['a fix without a change', 'review-fix', legal()],
    ['an implementation', 'implement', legal()],
  ] as const)('in %s: it is reported, and the loop ends', (_title, mode, verdict) => {
    const state = play(machine, ranIn(mode, worked('DECIDE:Which?', 'w')), judged({ verdict, code: 'c1' }));
    expect(machine.next(state)).toMatchObject({
      do: 'step',
      what: 'tell',
      outward: true,
      given: { kind: 'decision', reason: 'Which?', iteration: 1 },
    });
    expect(machine.next(play(machine, state, stepped('tell')))).toMatchObject({
      do: 'end',
      ending: { kind: 'decision', reason: 'Which?' },
    });
  });

  test('but not after tampering', () => {
    const state = play(
      machine,
      ranIn('implement', worked('BLOCKED:x', 'w')),
      judged({ tasks: 't2', verdict: { kind: 'illegal', reason: 'r' } }),
    );
    expect(machine.next(state)).toMatchObject({ what: 'put-back', given: { why: 'tampered' } });
  });
});

test('iterations without a commit are counted in a row', () => {
  const stuck = play(machine, ranIn('implement', worked(null, 'w')), judged({ head: 'h1' }));
  expect(stuck.data.stuckCount).toBe(1);
  expect(play(machine, ranIn('implement', worked(null, 'w')), judged()).data.stuckCount).toBe(0);
});
