import { describe, expect, test } from 'vitest';
import { firstRecord, play } from '../../test/support/play.ts';
import { failed, INTERRUPTED, ran, STARTED, WAITED, worked } from '../../test/support/results.ts';
import { crank } from './crank.ts';
import type { Json } from './json.ts';
import type { Result } from './record.ts';
import type { DoorRules } from './rules.ts';

/** Starts again after whatever came of a run; a look at the world after each decides. */
const rules: DoorRules<{ readonly input: Json; readonly limit: number }> = {
  door: 'restarting',
  begin: () => ({ input: null, limit: 2 }),
  takeInputs: (data, input) => ({ ...data, input }),
  afterInputs: ({ data }) => (data.input === 'look' ? { data, go: { to: 'step', what: 'look' } } : null),
  limit: ({ limit }) => limit,
  rereadsLimit: 'after-rest',
  rest: () => 1000,
  idle: () => 500,
  backoffUnit: () => 10,
  agent: () => ({ command: 'agent', flags: [], mode: 'stream' }),
  prompt: () => 'p',
  listen: () => ({ tag: 't', multiline: false }),
  timeout: () => null,
  afterEveryRun: ({ data }) => ({ data, go: { to: 'step', what: 'look' } }),
  step: (state, what) => ({ given: { what, failures: state.failures }, outward: false }),
  afterStep: ({ data }, _what, gave) => ({
    data,
    go: gave === 'done' ? { to: 'end', ending: { kind: 'done' } } : { to: 'next-iteration' },
  }),
  afterRun: unused,
  check: unused,
  publish: unused,
  afterCheck: unused,
  afterPublish: unused,
};

function unused(): never {
  throw new Error('not asked in this door');
}

const door = crank(rules);
const inputs = (value: Json): Result => ({ kind: 'inputs', digest: JSON.stringify(value), inputs: value });
const stepped = (gave: Json): Result => ({ kind: 'stepped', what: 'look', gave });
const begun = door.begin(firstRecord('restarting'));
const working = play(door, begun, inputs('work'), STARTED);

describe('a step of the door’s own', () => {
  test('can come before any work, and is asked for with what the rules give it', () => {
    const state = play(door, begun, inputs('look'));
    const given = { what: 'look', failures: 0 };
    expect(door.next(state)).toEqual({ do: 'step', key: '1/look/1', what: 'look', given, outward: false });
    expect(door.next(play(door, state, stepped('done')))).toMatchObject({ do: 'end', ending: { kind: 'done' } });
  });

  test('that was interrupted is asked for again', () => {
    const state = play(door, begun, inputs('look'));
    expect(door.next(play(door, state, INTERRUPTED))).toEqual(door.next(state));
  });

  test('of a later try has another key', () => {
    const state = play(door, working, INTERRUPTED, WAITED, inputs('work'), STARTED, worked());
    expect(door.next(state)).toMatchObject({ do: 'step', key: '1/look/2' });
  });

  test('does not exist for a door that has none', () => {
    const { step: _, ...without } = rules;
    const other = crank(without);
    expect(() => other.next(play(other, begun, inputs('look')))).toThrow('has no steps');
  });
});

describe('a door that starts again after every run', () => {
  test.each([
    ['worked', worked(), 0],
    ['failed', failed(1), 1],
    ['met a usage limit', ran({ kind: 'limit', reason: 'r', resetAt: null }), 1],
    ['was refused', ran({ kind: 'auth', reason: 'r' }), 1],
  ])('asks its own rules about one that %s', (_title, result, failures) => {
    const state = play(door, working, result);
    expect(door.next(state)).toMatchObject({ do: 'step', given: { failures } });
  });

  test('rests between iterations, and has no limit of failures in a row', () => {
    const state = play(door, working, failed(1), stepped('more'));
    expect(door.next(state)).toEqual({ do: 'wait', key: '1/wait', until: state.at + 1000 });
  });

  test('rests and reads its inputs once more before it ends by its limit', () => {
    const last = play(door, working, failed(1), stepped('more'), WAITED, inputs('work'), STARTED, failed(1));
    const resting = play(door, last, stepped('more'));
    expect(door.next(resting)).toMatchObject({ do: 'wait', key: '2/wait' });
    const read = play(door, resting, WAITED);
    expect(door.next(read)).toMatchObject({ do: 'read-inputs', key: '3/inputs/1' });
    expect(door.next(play(door, read, inputs('look')))).toMatchObject({ do: 'step' });
    const over = play(door, read, inputs('work'));
    expect(over.iteration).toBe(2);
    expect(door.next(over)).toMatchObject({ do: 'end', ending: { kind: 'iteration-limit', limit: 2 } });
  });

  test('a run is awaited with its idle limit', () => {
    expect(door.next(working)).toMatchObject({ do: 'await', idleMs: 500 });
  });
});
