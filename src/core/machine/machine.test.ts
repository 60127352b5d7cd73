import { describe, expect, test } from 'vitest';
import { EPOCH, firstRecord, play, recordOf } from '../../../test/support/loops/play.ts';
import {
  checked,
  failed,
  INTERRUPTED,
  published,
  ran,
  STARTED,
  WAITED,
  worked,
} from '../../../test/support/loops/results.ts';
import {
  begun,
  checking,
  INPUTS,
  NEXT,
  publishing,
  rules,
  type State,
  second,
  tiny,
  working,
} from '../../../test/support/loops/tiny-machine.ts';
import type { Outcome } from '../outcome.ts';
import type { Result } from '../record.ts';
import { loopMachine } from './machine.ts';

test('the time worked leaves out what passed while no supervisor drove the loop', () => {
  const begun = tiny.begin(firstRecord('tiny'));
  const atWork = play(tiny, begun, { kind: 'inputs', digest: 'd', inputs: 'x' }, STARTED);
  const next = recordOf(tiny, atWork, worked());
  const state = tiny.apply(atWork, { ...next, at: next.at + 50_000_000, resumedAt: next.at + 49_999_000 });
  expect([begun, atWork, state].map(({ workedMs }) => workedMs)).toEqual([0, 2000, 3000]);
});

test('the time worked leaves out jumps of the clock, ahead or back', () => {
  const begun = tiny.begin(firstRecord('tiny'));
  const atWork = play(tiny, begun, { kind: 'inputs', digest: 'd', inputs: 'x' }, STARTED);
  const next = recordOf(tiny, atWork, worked());
  const worksMs = (jumpedMs: number): number =>
    tiny.apply(atWork, { ...next, at: next.at + jumpedMs, jumpedMs }).workedMs;
  expect([28_800_000, -3_600_000].map(worksMs)).toEqual([3000, 3000]);
});

describe('each phase asks for its action, and its result leads on', () => {
  test('a new loop reads its inputs and knows no earlier ones', () => {
    expect(tiny.next(begun)).toEqual({ do: 'read-inputs', key: '1/inputs/1', known: null, consumed: null });
  });

  test('read inputs go to the rules, and the work is started with the prompt of the rules', () => {
    const state = play(tiny, begun, INPUTS);
    expect(state.data).toEqual(['first']);
    expect(tiny.next(state)).toEqual({
      do: 'start',
      key: '1/work/1/start',
      run: { loop: 'loop-1', iteration: 1, purpose: 'work', try: 1 },
      agent: { command: 'work-agent', flags: [], mode: 'stream' },
      prompt: 'work of iteration 1',
    });
  });

  test('unchanged inputs leave the data alone, and the digest is what is known next time', () => {
    const again = play(tiny, working, failed(), WAITED);
    expect(tiny.next(again)).toMatchObject({ do: 'read-inputs', known: 'd1' });
    expect(play(tiny, again, { kind: 'inputs', digest: 'd1' }).data).toBe(again.data);
  });

  test('a started run is awaited by its handle, as long and for the tag that the rules say', () => {
    expect(tiny.next(working)).toMatchObject({
      do: 'await',
      key: '1/work/1/await',
      handle: { runner: 'direct', name: '1-work-1' },
      listen: { tag: 't', multiline: false },
      limits: { timeMs: 7000, idleMs: null },
    });
  });

  test('finished work goes where the rules send it: to a check', () => {
    expect(checking.data).toEqual(['first', 'work']);
    expect(tiny.next(checking)).toMatchObject({
      do: 'check',
      key: '1/check/0',
      check: { given: { command: 'check' } },
    });
  });

  test('a passed check leads to the run of a second purpose, with a key of its own', () => {
    expect(tiny.next(second)).toMatchObject({
      do: 'await',
      key: '1/second/1/await',
      agent: { command: 'second-agent' },
    });
  });

  test('a failed check leads to the next iteration after a wait of length zero', () => {
    const state = play(tiny, checking, checked(0, false));
    expect(tiny.next(state)).toEqual({ do: 'wait', key: '1/wait', until: 'now', consumed: null });
    expect(play(tiny, state, WAITED)).toMatchObject({ iteration: 2, tries: { work: 1 }, phase: { at: 'inputs' } });
  });

  test('an action visible outside leads to the end, and only the record of the end makes the loop over', () => {
    expect(tiny.next(publishing)).toMatchObject({ do: 'publish', key: '1/publish/0', what: { message: 'm' } });
    const ending = play(tiny, publishing, published(0));
    expect(tiny.next(ending)).toEqual({ do: 'end', key: 'end', ending: { kind: 'done' } });
    expect(ending.phase.at).toBe('end');
    expect(play(tiny, ending, { kind: 'ended', ending: { kind: 'done' } }).phase.at).toBe('over');
  });

  test('the newest commit is kept, even if another program than git commits, which names none', () => {
    const committed = play(tiny, publishing, published(0));
    expect(committed.lastCommit).toBe('abc');
    const unnamed = { kind: 'published', index: 0, task: 'commit', status: 'done', detail: '' } as const;
    expect(play(tiny, { ...publishing, lastCommit: 'abc' }, unnamed).lastCommit).toBe('abc');
  });

  test('every record sets the loop’s position and time', () => {
    expect(working).toMatchObject({ seq: 2, at: EPOCH + 2000 });
  });
});

describe('what is interrupted is done again', () => {
  test.each([
    ['while it is awaited', working],
    ['while it is being started', play(tiny, begun, INPUTS)],
  ])('a run interrupted %s gets the next try, after one wait and fresh inputs, and so a new key', (_when, state) => {
    const interrupted = play(tiny, state, INTERRUPTED);
    expect(tiny.next(interrupted)).toEqual({ do: 'wait', key: '1/again/2', until: 'now', consumed: null });
    const again = play(tiny, interrupted, WAITED);
    expect(tiny.next(again)).toMatchObject({ do: 'read-inputs', key: '1/inputs/2' });
    expect(tiny.next(play(tiny, again, INPUTS))).toMatchObject({
      key: '1/work/2/start',
      run: { iteration: 1, try: 2 },
    });
  });

  test('the next iteration begins with its first try again', () => {
    const state = play(tiny, working, INTERRUPTED, ...NEXT, failed(), WAITED);
    expect(state).toMatchObject({ iteration: 2, tries: { work: 1 } });
    expect(tiny.next(state).key).toBe('2/inputs/1');
  });

  test('a run that ended unseen and without a result was interrupted, and has not failed', () => {
    const state = play(tiny, working, ran({ kind: 'interrupted', reason: 'unseen' }));
    expect(state).toMatchObject({ iteration: 1, tries: { work: 2 }, failuresInARow: 0, faultsInARow: 0 });
  });

  test('an interrupted run of another purpose starts again at once under a new key', () => {
    expect(tiny.next(play(tiny, second, INTERRUPTED))).toMatchObject({ do: 'start', key: '1/second/2/start' });
  });

  test.each([
    ['read-inputs', begun],
    ['check', checking],
    ['publish', publishing],
    ['wait', play(tiny, working, failed())],
  ])('an interrupted "%s" is requested again unchanged', (kind, state) => {
    expect(tiny.next(state).do).toBe(kind);
    expect(tiny.next(play(tiny, state, INTERRUPTED))).toEqual(tiny.next(state));
  });
});

describe('failed work', () => {
  test('waits from the time of its record, twice as long with each failure in a row', () => {
    let state = working;
    for (const pause of [10, 20]) {
      state = play(tiny, state, failed());
      expect(state.phase).toEqual({ at: 'wait', until: state.at + pause, then: 'next-iteration' });
      state = play(tiny, state, ...NEXT);
    }
    expect(state.iteration).toBe(3);
  });

  test('of a loop kind without a unit of its own is followed by a wait of one second', () => {
    const { backoffUnit: _unit, ...others } = rules;
    const state = play(loopMachine(others), working, failed());
    expect(state.phase).toEqual({ at: 'wait', until: state.at + 1000, then: 'next-iteration' });
  });

  test('ends the loop at the fifth failure in a row', () => {
    const patient = loopMachine({ ...rules, limit: () => 100 });
    const four = Array.from({ length: 4 }, () => [failed(), ...NEXT]).flat();
    const state = play(patient, working, ...four);
    expect(state).toMatchObject({ failuresInARow: 4, iteration: 5 });
    expect(play(patient, state, failed()).phase).toEqual({
      at: 'end',
      ending: { kind: 'kept-failing', failures: 5, reason: 'exit 1' },
    });
  });

  test('is forgotten as soon as work succeeds', () => {
    const state = play(tiny, working, failed(), ...NEXT, worked());
    expect(state).toMatchObject({ failuresInARow: 0, phase: { at: 'check' } });
  });

  test('in the last iteration ends the loop at its limit', () => {
    const state = play(tiny, working, failed(), ...NEXT, failed(), ...NEXT, failed());
    expect(state.phase).toEqual({ at: 'end', ending: { kind: 'iteration-limit', limit: 3 } });
  });

  test('of another purpose is left to the rules and counts as no failure of the loop', () => {
    const state = play(tiny, second, failed());
    expect(state).toMatchObject({ failuresInARow: 0, phase: { at: 'publish', index: 0 } });
  });
});

describe('faults', () => {
  test.each<[Outcome, object]>([
    [
      { kind: 'limit', reason: 'used up', resetAt: 7 },
      { kind: 'usage-limit', reason: 'used up', resetAt: 7 },
    ],
    [
      { kind: 'auth', reason: 'who?' },
      { kind: 'auth', reason: 'who?' },
    ],
    [
      { kind: 'blocked', reason: 'ask' },
      { kind: 'blocked', reason: 'ask' },
    ],
    [
      { kind: 'tampered', reason: 'changed' },
      { kind: 'tampered', reason: 'changed' },
    ],
  ])('that waiting does not cure end the loop at once, whatever the run was for: %o', (outcome, ending) => {
    expect(play(tiny, working, ran(outcome)).phase).toEqual({ at: 'end', ending });
    expect(play(tiny, second, ran(outcome)).phase).toEqual({ at: 'end', ending });
  });

  test.each(['infrastructure', 'hang'] as const)(
    'of kind "%s" repeat the iteration after a pause and count as no work',
    (kind) => {
      const fault = ran({ kind, reason: 'down' });
      const state = play(tiny, working, fault);
      expect(state).toMatchObject({ iteration: 1, failuresInARow: 0, faultsInARow: 1 });
      expect(state.phase).toEqual({ at: 'wait', until: state.at + 10, then: 'same-iteration' });
      const again = play(tiny, state, ...NEXT, fault);
      expect(again.phase).toMatchObject({ until: again.at + 20 });
      expect(tiny.next(again).key).toBe('1/again/3');
    },
  );

  test('end the loop at the fifth in a row, and say what they were', () => {
    const fault = ran({ kind: 'hang', reason: 'silent' });
    const four = Array.from({ length: 4 }, () => [fault, ...NEXT]).flat();
    const state = play(tiny, working, ...four, fault);
    expect(state.phase).toEqual({ at: 'end', ending: { kind: 'infrastructure', reason: 'hang: silent' } });
  });

  test('are forgotten as soon as work succeeds', () => {
    const state = play(tiny, working, ran({ kind: 'hang', reason: 'silent' }), ...NEXT, worked());
    expect(state.faultsInARow).toBe(0);
  });

  test('an agent that cannot be started ends the loop with a hint, as a configuration error', () => {
    const state = play(tiny, begun, INPUTS, { kind: 'unstartable', reason: 'not found', hint: 'Install it.' });
    const ending = { kind: 'configuration', reason: 'not found', hint: 'Install it.' };
    expect(state.phase).toEqual({ at: 'end', ending });
  });
});

describe('a loop that is continued', () => {
  const CONTINUED: Result = { kind: 'continued' };
  const ended = (state: State): State => {
    const { phase } = state;
    if (phase.at !== 'end') throw new Error(`it goes on: ${phase.at}`);
    return play(tiny, state, { kind: 'ended', ending: phase.ending });
  };
  const outcome = (of: Outcome): State => ended(play(tiny, working, ran(of)));

  test('after a usage limit it tries the same iteration again, under a new key', () => {
    const state = play(tiny, outcome({ kind: 'limit', reason: 'no more', resetAt: null }), CONTINUED);
    expect(tiny.next(state)).toMatchObject({ do: 'read-inputs', key: '1/inputs/2' });
    expect(tiny.next(play(tiny, state, INPUTS))).toMatchObject({ key: '1/work/2/start' });
  });

  test('after its limit of iterations it begins the next one, if the limit allows that', () => {
    const state = ended(
      play(
        tiny,
        begun,
        ...[1, 2, 3].flatMap((n) => [...(n === 1 ? [INPUTS, STARTED] : NEXT), worked(), checked(0, false)]),
      ),
    );
    const again = play(tiny, state, CONTINUED);
    expect(tiny.next(again)).toMatchObject({ do: 'read-inputs', key: '4/inputs/1' });
    const still = play(tiny, again, INPUTS);
    expect(tiny.next(still)).toEqual({ do: 'end', key: 'end/2', ending: { kind: 'iteration-limit', limit: 3 } });
    const raised = loopMachine({
      ...rules,
      limit: (data) => (data.includes('more') ? 9 : 3),
      takeOptions: (data) => [...data, 'more'],
    });
    expect(raised.next(play(raised, state, { ...CONTINUED, options: {} }, INPUTS))).toMatchObject({
      key: '4/work/1/start',
    });
  });

  test('while it is not over, only its options change', () => {
    const more = loopMachine({ ...rules, takeOptions: (data, options) => [...data, JSON.stringify(options)] });
    const state = play(more, working, { ...CONTINUED, options: 'x' });
    expect(state).toMatchObject({ phase: working.phase, iteration: 1, continued: 0, data: ['first', '"x"'] });
  });

  test('resets the count of failures in a row', () => {
    const state = play(tiny, outcome({ kind: 'auth', reason: 'no' }), CONTINUED);
    expect(state).toMatchObject({ failuresInARow: 0, faultsInARow: 0, continued: 1 });
  });

  test('is not continued when it is done', () => {
    const done = ended(play(tiny, publishing, published(0, 'done')));
    expect(() => play(tiny, done, CONTINUED)).toThrow('ended as "done"');
  });
});
