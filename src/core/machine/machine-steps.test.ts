import { describe, expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/loops/play.ts';
import { failed, INTERRUPTED, ran, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import type { Ran, Result } from '../record.ts';
import type { LoopRules } from '../rules.ts';
import type { Json } from '../text/json.ts';
import { loopMachine } from './machine.ts';

/** Rules that do not matter to the loop kinds below. */
const plain = {
  limits: () => ({ timeMs: null, idleMs: 500 }),
  backoffUnit: () => 10,
  agent: () => ({ command: 'agent', flags: [], mode: 'stream' as const }),
  prompt: () => 'p',
  listen: () => ({ tag: 't', multiline: false }),
};

interface LookGiven {
  readonly failures: number;
}
type Look = { readonly look: { readonly given: LookGiven; readonly gave: Json } };

/** Starts again after a run with any outcome; a step `look` after each decides. */
const rules: LoopRules<{ readonly input: Json; readonly limit: number }, Look, unknown, Json> = {
  ...plain,
  loopKind: 'restarting',
  begin: () => ({ input: null, limit: 2 }),
  takeInputs: (data, input) => ({ ...data, input }),
  afterInputs: ({ data }) => (data.input === 'look' ? { data, go: { to: 'step', what: 'look' } } : null),
  limit: ({ limit }) => limit,
  rereadsLimit: 'after-rest',
  rest: () => 1000,
  afterEveryRun: ({ data }) => ({ data, go: { to: 'step', what: 'look' } }),
  steps: {
    look: {
      given: ({ failures }) => ({ failures }),
      after: ({ data }, gave) => ({
        data,
        go: gave === 'done' ? { to: 'end', ending: { kind: 'done' } } : { to: 'next-iteration' },
      }),
    },
  },
};

const machine = loopMachine(rules);
const inputs = (value: Json): Result => ({ kind: 'inputs', digest: JSON.stringify(value), inputs: value });
const stepped = (gave: Json): Result => ({ kind: 'stepped', what: 'look', gave });
const begun = machine.begin(firstRecord('restarting'));
const working = play(machine, begun, inputs('work'), STARTED);

describe('a step of the loop kind’s own', () => {
  test('can come before any work, and is requested with what the rules give it', () => {
    const state = play(machine, begun, inputs('look'));
    const given = { failures: 0 };
    expect(machine.next(state)).toEqual({ do: 'step', key: '1/look/1', what: 'look', given, outward: false });
    expect(machine.next(play(machine, state, stepped('done')))).toMatchObject({ do: 'end', ending: { kind: 'done' } });
  });

  test('that was interrupted is requested again', () => {
    const state = play(machine, begun, inputs('look'));
    expect(machine.next(play(machine, state, INTERRUPTED))).toEqual(machine.next(state));
  });

  test('of a later try has another key', () => {
    const state = play(machine, working, INTERRUPTED, WAITED, inputs('work'), STARTED, worked());
    expect(machine.next(state)).toMatchObject({ do: 'step', key: '1/look/2' });
  });

  test('does not exist for a loop kind that has none', () => {
    const { steps: _, ...without } = rules;
    const other = loopMachine(without);
    expect(() => other.next(play(other, begun, inputs('look')))).toThrow('has no step "look"');
  });
});

describe('a loop kind that starts again after every run', () => {
  test.each([
    ['worked', worked(), 0],
    ['failed', failed(1), 1],
    ['met a usage limit', ran({ kind: 'limit', reason: 'r', resetAt: null }), 1],
    ['was refused', ran({ kind: 'auth', reason: 'r' }), 1],
  ])('asks its own rules about one that %s', (_title, result, failures) => {
    const state = play(machine, working, result);
    expect(machine.next(state)).toMatchObject({ do: 'step', given: { failures } });
  });

  test('waits between iterations, and has no limit of failures in a row', () => {
    const state = play(machine, working, failed(1), stepped('more'));
    expect(machine.next(state)).toEqual({ do: 'wait', key: '1/wait', until: state.at + 1000, consumed: null });
  });

  test('waits and reads its inputs once more before it ends by its limit', () => {
    const last = play(machine, working, failed(1), stepped('more'), WAITED, inputs('work'), STARTED, failed(1));
    const resting = play(machine, last, stepped('more'));
    expect(machine.next(resting)).toMatchObject({ do: 'wait', key: '2/wait' });
    const read = play(machine, resting, WAITED);
    expect(machine.next(read)).toMatchObject({ do: 'read-inputs', key: '3/inputs/1' });
    expect(machine.next(play(machine, read, inputs('look')))).toMatchObject({ do: 'step' });
    const over = play(machine, read, inputs('work'));
    expect(over.iteration).toBe(2);
    expect(machine.next(over)).toMatchObject({ do: 'end', ending: { kind: 'iteration-limit', limit: 2 } });
  });

  test('a run is awaited with its idle limit', () => {
    expect(machine.next(working)).toMatchObject({ do: 'await', limits: { idleMs: 500 } });
  });
});

describe('a loop kind that looks first at what a run left behind', () => {
  type Steps = Look & { readonly mark: { readonly given: LookGiven; readonly gave: Json } };
  const lookingRules: LoopRules<{ readonly last: Ran | null }, Steps> = {
    ...plain,
    loopKind: 'looking',
    begin: () => ({ last: null }),
    takeInputs: (data) => data,
    afterInputs: ({ data }) => ({ data, go: { to: 'step', what: 'mark' } }),
    limit: () => 9,
    rest: () => 0,
    deferFailureCount: true,
    afterEveryRun: (_state, last) => ({ data: { last }, go: { to: 'step', what: 'look' } }),
    afterRun: ({ data }) => ({ data, go: { to: 'next-iteration' } }),
    steps: {
      mark: {
        given: ({ failures }) => ({ failures }),
        after: ({ data }) => ({ data, go: { to: 'run', purpose: 'work' } }),
      },
      look: {
        given: ({ failures }) => ({ failures }),
        after: ({ data }, gave) => {
          if (gave === 'again' || data.last === null) return { data, go: { to: 'again' } };
          const exit = { by: 'code', code: 0 } as const;
          const failed: Ran = { ...data.last, outcome: { kind: 'failed', exit, reason: 'empty' } };
          return { data, go: { to: 'default', ran: gave === 'fail' ? failed : data.last } };
        },
      },
    },
  };
  const looking = loopMachine(lookingRules);
  const first = looking.begin(firstRecord('looking'));
  const marked = (what: string, gave: Json): Result => ({ kind: 'stepped', what, gave });
  const run = [inputs('work'), marked('mark', null), STARTED] as const;
  const looked = (result: Result, gave: Json) => play(looking, first, ...run, result, marked('look', gave));

  test('counts nothing before it has looked', () => {
    const state = play(looking, first, ...run, failed(1));
    expect(looking.next(state)).toMatchObject({ do: 'step', what: 'look', given: { failures: 0 } });
  });

  test('backs off from a failure as usual, and counts it once', () => {
    const state = looked(failed(1), 'usual');
    expect(looking.next(state)).toEqual({ do: 'wait', key: '1/wait', until: state.at + 10, consumed: null });
    expect(state).toMatchObject({ failures: 1, failuresInARow: 1 });
  });

  test('can call a run failed that worked', () => {
    const state = looked(worked(), 'fail');
    expect(state).toMatchObject({ failures: 1, failuresInARow: 1, phase: { at: 'wait', then: 'next-iteration' } });
  });

  test('ends after the fifth failure in a row', () => {
    const four = Array.from({ length: 4 }, () => [...run, failed(1), marked('look', 'usual'), WAITED]).flat();
    const state = play(looking, first, ...four, ...run, failed(1), marked('look', 'usual'));
    expect(looking.next(state)).toMatchObject({ do: 'end', ending: { kind: 'kept-failing', failures: 5 } });
  });

  test('ends by a usage limit, and tries the same iteration again after an outage', () => {
    const limited = looked(ran({ kind: 'limit', reason: 'r', resetAt: null }), 'usual');
    expect(looking.next(limited)).toMatchObject({ do: 'end', ending: { kind: 'usage-limit' } });
    const out = looked(ran({ kind: 'infrastructure', reason: 'r' }), 'usual');
    expect(looking.next(out)).toMatchObject({ do: 'wait', key: '1/again/2' });
  });

  test('continues as usual after a run that worked, which ends the failures in a row', () => {
    const state = play(looking, looked(failed(1), 'usual'), WAITED, ...run, worked(), marked('look', 'usual'));
    expect(state).toMatchObject({ failures: 1, failuresInARow: 0, iteration: 2, phase: { at: 'wait' } });
  });

  test('can ask for the same iteration again, at once and under a new try', () => {
    const state = looked(worked(), 'again');
    expect(looking.next(state)).toEqual({ do: 'wait', key: '1/again/2', until: 'now', consumed: null });
    const second = play(looking, state, WAITED, inputs('work'), marked('mark', null));
    expect(looking.next(second)).toMatchObject({ do: 'start', key: '1/work/2/start' });
    expect(second.iteration).toBe(1);
  });
});
