import { describe, expect, test } from 'vitest';
import { play } from '../../../test/support/loops/play.ts';
import { checked, INTERRUPTED, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { begun, INPUTS, type State, tiny, working } from '../../../test/support/loops/tiny-machine.ts';
import type { Result } from '../record.ts';

describe('what a person tells the agent', () => {
  const told = [{ as: 'tell', text: 'Use tabs.' }] as const;
  const promptOf = (state: State): string => {
    const action = tiny.next(state);
    return action.do === 'start' ? action.prompt : '';
  };
  const heard = play(tiny, begun, { kind: 'inputs', digest: 'd1', inputs: 'first', consumed: 'a', told });

  test('is below the next prompt of the work, and of nothing else', () => {
    expect(promptOf(heard)).toMatch(/^work of iteration 1\n\n.*Use tabs\.$/s);
    expect(heard.consumed).toBe('a');
    const red = play(tiny, heard, STARTED, worked(), checked(0, true));
    expect(promptOf(red)).toBe('second of iteration 1');
  });

  test('stays until a run that got it has worked', () => {
    const again = play(tiny, heard, STARTED, INTERRUPTED, WAITED, INPUTS);
    expect(promptOf(again)).toContain('Use tabs.');
    const next = play(tiny, heard, STARTED, worked(), checked(0, false), WAITED, INPUTS);
    expect(promptOf(next)).toBe('work of iteration 2');
  });

  test('is read at a wait, too, in the order in which it was sent', () => {
    const more: Result = { kind: 'waited', consumed: 'b', told: [{ as: 'answer', text: 'SQLite.' }] };
    const again = play(tiny, heard, STARTED, INTERRUPTED, more, INPUTS);
    expect(again.consumed).toBe('b');
    expect(promptOf(again)).toMatch(/Use tabs\..*SQLite\./s);
  });
});

test('a loop stopped between two iterations continues with the next, one stopped within an iteration with the same', () => {
  const stop: Result = { kind: 'waited', command: 'stop' };
  const ended = (state: State): State => {
    const over = tiny.next(state);
    if (over.do !== 'end') throw new Error(`${over.do} is due`);
    return play(tiny, state, { kind: 'ended', ending: over.ending }, { kind: 'continued' });
  };
  const between = ended(play(tiny, working, worked(), checked(0, false), stop));
  expect([between.iteration, between.tries]).toEqual([2, { work: 1 }]);
  const within = ended(play(tiny, working, INTERRUPTED, stop));
  expect([within.iteration, within.tries]).toEqual([1, { work: 3 }]);
});
