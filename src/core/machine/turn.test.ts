import { describe, expect, test } from 'vitest';
import { EPOCH, firstRecord } from '../../../test/support/loops/play.ts';
import { failed, inputs, REQUEST, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { runRules } from '../../loops/run/rules.ts';
import type { Action } from '../action.ts';
import { RECORD_VERSION, type Recorded, type Result } from '../record.ts';
import { fold, loopMachine } from './machine.ts';
import { turnAtOnce } from './turn.ts';

const run = loopMachine(runRules);
const NOW = EPOCH + 60_000;

/** Performs at once what needs no waiting; the result of an agent's run comes later, in another turn. */
function perform(action: Action): Result | null {
  switch (action.do) {
    case 'read-inputs':
      return inputs({ maximumIterations: 2 });
    case 'start':
      return STARTED;
    case 'wait':
      return WAITED;
    default:
      return null;
  }
}

function begin() {
  const journal: Recorded[] = [firstRecord('run', REQUEST)];
  const one = (brought: Result | null) =>
    turnAtOnce(run, fold(run, journal), brought, { perform, append: (record) => journal.push(record), now: NOW });
  return { journal, turn: one };
}

describe('one turn', () => {
  test('goes as far as it can without waiting, and records each step under its key', () => {
    const loop = begin();
    expect(loop.turn(null).phase).toMatchObject({ at: 'await', purpose: 'work' });
    expect(loop.journal.slice(1)).toMatchObject([
      { v: RECORD_VERSION, seq: 1, at: NOW, key: '1/inputs/1', attempt: 1, result: { kind: 'inputs' } },
      { v: RECORD_VERSION, seq: 2, at: NOW, key: '1/work/1/start', attempt: 1, result: { kind: 'started' } },
    ]);
  });

  test('gives the result that it gets to the action that is due, and continues from there', () => {
    const loop = begin();
    loop.turn(null);
    const state = loop.turn(worked('not yet'));
    expect(state).toMatchObject({ iteration: 2, phase: { at: 'await' } });
    expect(loop.journal.map(({ key }) => key).slice(3)).toEqual([
      '1/work/1/await',
      '1/wait',
      '2/inputs/1',
      '2/work/1/start',
    ]);
  });

  test('without a result, although one is due, changes nothing', () => {
    const loop = begin();
    const before = loop.turn(null);
    expect(loop.turn(null)).toEqual(before);
    expect(loop.journal).toHaveLength(3);
  });

  test('records the end itself, and does nothing in a loop that is over', () => {
    const loop = begin();
    loop.turn(null);
    const over = loop.turn(worked('DONE'));
    expect(over.phase).toEqual({ at: 'over', ending: { kind: 'done' } });
    expect(loop.journal.at(-1)).toMatchObject({ key: 'end', result: { kind: 'ended', ending: { kind: 'done' } } });
    const length = loop.journal.length;
    expect(loop.turn(failed())).toEqual(over);
    expect(loop.journal).toHaveLength(length);
  });

  test('a record is written before the state depends on it', () => {
    const journal: Recorded[] = [];
    const isWritten: boolean[] = [];
    const watched: typeof run = {
      ...run,
      apply(state, record) {
        isWritten.push(journal.includes(record));
        return run.apply(state, record);
      },
    };
    const effects = { perform, append: (record: Recorded) => void journal.push(record), now: NOW };
    turnAtOnce(watched, run.begin(firstRecord('run', REQUEST)), null, effects);
    expect(isWritten).toEqual([true, true]);
  });
});

test('the records of all turns fold to the state that the last turn returned', () => {
  const loop = begin();
  loop.turn(null);
  const state = loop.turn(failed());
  expect(fold(run, loop.journal)).toEqual(state);
});
