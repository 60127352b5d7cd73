/** What a command with `--now` cuts off, and how a supervisor that left is distinguished from one that died. */
import { describe, expect, test } from 'vitest';
import { firstRecord, play, record } from '../../../test/support/loops/play.ts';
import { checked, INTERRUPTED, STARTED, WAITED } from '../../../test/support/loops/results.ts';
import { begun, checking, second, tiny, working } from '../../../test/support/loops/tiny-machine.ts';
import { type Recorded, type Result, TELLS_LEAVING } from '../record.ts';
import { fold } from './machine.ts';

const BY_COMMAND: Result = { kind: 'interrupted', reason: 'told to stop now', byCommand: true };
const PAUSE: Result = { kind: 'waited', command: 'pause', consumed: 'p' };
const RESUME: Result = { kind: 'waited', command: 'resume', consumed: 'r' };
const STOP: Result = { kind: 'waited', command: 'stop', consumed: 's' };
const STOPPED: Result = { kind: 'ended', ending: { kind: 'stopped' } };

describe('a check that a command cut off', () => {
  test('is followed by a wait, which reads the command', () => {
    const state = play(tiny, checking, BY_COMMAND);
    expect(tiny.next(state)).toMatchObject({ do: 'wait', until: 'now', key: '1/cut-off' });
  });

  test('is done again after a pause, and counted once', () => {
    const paused = play(tiny, checking, BY_COMMAND, PAUSE);
    expect(tiny.next(paused)).toMatchObject({ do: 'wait', until: 'command' });
    const resumed = play(tiny, paused, RESUME);
    expect(tiny.next(resumed)).toEqual(tiny.next(checking));
    expect(play(tiny, resumed, checked(0, true)).phase).toEqual({ at: 'start', purpose: 'second' });
  });

  test('is done again if there is nothing to obey any more', () => {
    expect(tiny.next(play(tiny, checking, BY_COMMAND, WAITED))).toEqual(tiny.next(checking));
  });

  test('ends a loop that is stopped; continued, it begins with the check and not with the agent', () => {
    const stopped = play(tiny, checking, BY_COMMAND, STOP, STOPPED);
    expect(stopped.phase).toEqual({ at: 'over', ending: { kind: 'stopped' } });
    const continued = play(tiny, stopped, { kind: 'continued' });
    expect(tiny.next(continued)).toEqual(tiny.next(checking));
    expect(continued.cutOff).toBeNull();
    expect(continued.iteration).toBe(checking.iteration);
  });

  test('by a signal is done again without a wait, because the supervisor exits', () => {
    expect(tiny.next(play(tiny, checking, INTERRUPTED))).toEqual(tiny.next(checking));
  });
});

test('a run of another purpose that was cut off starts again under a new key', () => {
  const state = play(tiny, second, BY_COMMAND);
  expect(tiny.next(state)).toMatchObject({ do: 'wait', key: '1/cut-off' });
  expect(tiny.next(play(tiny, state, PAUSE, RESUME))).toMatchObject({ do: 'start', key: '1/second/2/start' });
});

test('work that a command cut off has its own wait, and is tried again', () => {
  const state = play(tiny, working, BY_COMMAND);
  expect(tiny.next(state)).toMatchObject({ do: 'wait', key: '1/again/2' });
  expect(state.cutOff).toBeNull();
});

describe('a supervisor that is gone', () => {
  const left = (by?: string): Result => ({ kind: 'left', ...(by === undefined ? {} : { by }) });

  test('has died if it recorded nothing, and has left if it did, by a signal or without one', () => {
    expect(working.leaving).toEqual({ is: 'unsaid' });
    expect(play(tiny, working, left('SIGINT')).leaving).toEqual({ is: 'left', by: 'SIGINT' });
    expect(play(tiny, working, left()).leaving).toEqual({ is: 'left', by: null });
  });

  test('leaves the loop unchanged; the next record shows that another one has taken over', () => {
    const state = play(tiny, begun, left('SIGTERM'));
    expect(tiny.next(state)).toEqual(tiny.next(begun));
    expect(play(tiny, state, { kind: 'inputs', digest: 'd' }).leaving).toEqual({ is: 'unsaid' });
  });

  test('of an earlier release never recorded that: nothing is known about it', () => {
    const older = (one: Recorded): Recorded => ({ ...one, v: TELLS_LEAVING - 1 });
    const records = [firstRecord('tiny'), record(1, '1/inputs/1', { kind: 'inputs', digest: 'd' })].map(older);
    expect(fold(tiny, records).leaving).toEqual({ is: 'unknown' });
    expect(fold(tiny, [...records, record(2, '1/work/1/start', STARTED)]).leaving).toEqual({ is: 'unsaid' });
  });
});
