/** Whether a loop makes progress, folded from its records. */
import { describe, expect, test } from 'vitest';
import { play } from '../../../test/support/loops/play.ts';
import { checked, failed, INTERRUPTED, ran, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { begun, INPUTS, rules, type State } from '../../../test/support/loops/tiny-machine.ts';
import { keyOf } from '../faults/agent-choice.ts';
import { loopMachine } from '../machine/machine.ts';
import type { Result } from '../record.ts';
import type { OnStuck } from './progress.ts';

const machineOf = (onStuck?: OnStuck, more: Partial<typeof rules> = {}) =>
  loopMachine({
    ...rules,
    limit: () => 50,
    about: () => ({ task: null, limit: 50, agent: null, checks: ['make test'] }),
    ...(onStuck === undefined ? {} : { onStuck: () => onStuck }),
    ...more,
  });

const withTree = (result: Result, tree: string, head?: string): Result =>
  ({ ...result, tree: { commit: `c-${tree}`, tree, ...(head === undefined ? {} : { head }) } }) as Result;

/** An iteration that leaves this tree and fails with this output. */
const red = (tree: string | null, output = 'same', head?: string): readonly Result[] => [
  STARTED,
  tree === null ? worked() : withTree(worked(), tree, head),
  checked(0, false, output),
];

function played(machine: ReturnType<typeof machineOf>, ...iterations: readonly (readonly Result[])[]): State {
  const results = iterations.flatMap((one, index) => (index === 0 ? [INPUTS, ...one] : [WAITED, INPUTS, ...one]));
  return play(machine, begun, ...results);
}

const stuckAfter = (...iterations: readonly (readonly Result[])[]): string | null =>
  played(machineOf(), ...iterations).progress.stuck;

describe('a loop is stuck', () => {
  test('when three iterations in a row change nothing', () => {
    expect(stuckAfter(red('a', '1'), red('a', '2'), red('a', '3'))).toBeNull();
    expect(stuckAfter(red('a', '1'), red('a', '2'), red('a', '3'), red('a', '4'))).toBe(
      'the last 3 iterations changed nothing',
    );
  });

  test('counting from the tree that it began with', () => {
    const first = [withTree(STARTED, 'a'), ...red('a').slice(1)];
    expect(stuckAfter(first, red('a'), red('a'))).toBe('the last 3 iterations changed nothing');
  });

  test('when it undoes and redoes the same changes', () => {
    const there = [red('a', '1'), red('b', '2'), red('a', '3'), red('b', '4')];
    expect(stuckAfter(...there)).toBeNull();
    expect(stuckAfter(...there, red('a', '5'))).toBe('the last 3 iterations undid and redid the same changes');
  });

  test('when the same fails five times in a row, although files change', () => {
    const four = ['a', 'b', 'c', 'd'].map((tree) => red(tree));
    expect(stuckAfter(...four)).toBeNull();
    expect(stuckAfter(...four, red('e'))).toBe('the last 5 iterations failed with the same output: make test (exit 1)');
  });

  test('because of failures alone, if there is no repository', () => {
    expect(stuckAfter(...Array.from({ length: 4 }, () => red(null)))).toBeNull();
    expect(stuckAfter(...Array.from({ length: 5 }, () => red(null)))).toContain('the same output');
  });
});

describe('a loop is not stuck', () => {
  test('when what fails changes with the files', () => {
    expect(stuckAfter(...['a', 'b', 'c', 'd', 'e', 'f'].map((tree) => red(tree, tree)))).toBeNull();
  });

  test('when something was committed, although no file differs', () => {
    expect(stuckAfter(...['1', '2', '3', '4', '5'].map((head) => red('a', head, head)))).toBeNull();
  });

  test('because of iterations whose agent failed, or of faults', () => {
    const broken = [STARTED, withTree(failed(), 'a')];
    expect(stuckAfter(red('a'), broken, broken, broken)).toBeNull();
    const fault = [STARTED, ran({ kind: 'infrastructure', reason: 'r' }), WAITED, INPUTS, STARTED, INTERRUPTED];
    const again = [...fault, WAITED, INPUTS, ...red('a')];
    expect(stuckAfter(red('a', '1'), again, red('a', '3'))).toBeNull();
  });

  test('once a person has intervened', () => {
    const machine = machineOf();
    const paused = play(machine, played(machine, red('a'), red('a'), red('a')), { kind: 'waited', command: 'pause' });
    const resumed = play(machine, paused, { kind: 'waited', command: 'resume' }, INPUTS, ...red('a'));
    expect(resumed.progress.stuck).toBeNull();
    const edited = [withTree(STARTED, 'edited'), ...red('a').slice(1)];
    expect(stuckAfter(red('a'), red('a'), red('a'), edited)).toBeNull();
  });
});

describe('a stuck loop', () => {
  const three = [[withTree(STARTED, 'a'), ...red('a').slice(1)], red('a'), red('a')];

  test('continues by default', () => {
    expect(played(machineOf(), ...three).phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
  });

  test('ends if it was told to; continuing it begins the next iteration', () => {
    const machine = machineOf('end');
    const state = played(machine, ...three);
    const ending = { kind: 'stuck', reason: 'The last 3 iterations changed nothing.', isBetween: true } as const;
    expect(state.phase).toEqual({ at: 'end', ending });
    const again = play(machine, state, { kind: 'ended', ending }, { kind: 'continued' });
    expect([again.iteration, again.progress.stuck]).toEqual([4, null]);
  });

  describe('that was told to ask for another plan', () => {
    const machine = machineOf('pivot');
    const pivoting = played(machine, ...three);
    const planned = (result: Result = worked('Do it in another way.')): State =>
      play(machine, pivoting, withTree(STARTED, 'a'), withTree(result, 'a'));
    const next = (state: State, ...iterations: readonly (readonly Result[])[]): State =>
      play(machine, state, ...iterations.flatMap((one) => [WAITED, INPUTS, ...one]));

    test('starts a run for it in the same iteration', () => {
      expect(machine.next(pivoting)).toMatchObject({ do: 'start', key: '3/pivot/1/start', run: { purpose: 'pivot' } });
      const cut = play(machine, pivoting, STARTED, INTERRUPTED);
      expect(machine.next(cut)).toMatchObject({ do: 'start', key: '3/pivot/2/start' });
    });

    test('keeps the plan until there is progress', () => {
      const state = planned();
      expect(state.phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
      expect(state.progress).toMatchObject({
        stuck: null,
        pivot: { plan: 'Do it in another way.', hasChanged: false },
      });
      expect(next(state, red('b')).progress.pivot?.plan).toBe('Do it in another way.');
      expect(next(state, red('b', 'other')).progress.pivot).toBeNull();
    });

    test('counts the cost of that run, but no iteration', () => {
      const account = { costUsd: 2, inputTokens: 10, outputTokens: 5, isError: false, text: '' };
      const costly: Result = { ...(worked('Do it.') as Result & { kind: 'ran' }), account };
      const state = planned(costly);
      expect([state.usage.costUsd, state.usage.inputTokens]).toEqual([2, 10]);
      expect(state.usage.runs).toBe(pivoting.usage.runs + 1);
      expect([state.iteration, state.startedIn]).toEqual([3, 3]);
    });

    test('does what its loop kind wants after that run before the next iteration', () => {
      const own = machineOf('pivot', { afterPivot: ({ data }) => ({ data, go: { to: 'again' } }) });
      const after = play(own, played(own, ...three), withTree(STARTED, 'a'), withTree(worked('Do it.'), 'a'));
      expect(after.phase).toMatchObject({ at: 'wait', then: 'same-iteration' });
    });

    test('ends if that brings nothing new, either', () => {
      const { phase } = next(planned(), red('a'), red('a'), red('a'));
      const reason = 'The last 3 iterations changed nothing, even after a different plan was made.';
      expect(phase).toMatchObject({ at: 'end', ending: { kind: 'stuck', reason } });
    });

    test('ends in the same way if that run failed; a fault of the service does not count', () => {
      expect(next(planned(failed()), red('a'), red('a'), red('a')).phase).toMatchObject({ at: 'end' });
      const limited = planned(ran({ kind: 'limit', reason: 'r', resetAt: null }));
      expect(limited.progress.pivot).toBeNull();
      expect(next(limited, red('a'), red('a'), red('a')).phase).toMatchObject({ at: 'start', purpose: 'pivot' });
      const refused = planned(ran({ kind: 'auth', reason: 'r' }));
      expect(refused.phase).toMatchObject({ at: 'end', ending: { kind: 'auth' } });
    });

    test('notices that the run changed files', () => {
      const state = play(machine, pivoting, withTree(STARTED, 'a'), withTree(worked('plan'), 'b'));
      expect(state.progress.pivot?.hasChanged).toBe(true);
    });

    test('a plan is cut to 4,000 characters', () => {
      expect(planned(worked('x'.repeat(9000))).progress.pivot?.plan).toHaveLength(4000);
    });
  });
});

test('there is no pivot in the last iteration, with a budget that is used up, or by an agent that is limited', () => {
  const last = loopMachine({ ...rules, onStuck: () => 'pivot' as const });
  const first = [withTree(STARTED, 'a'), ...red('a').slice(1)];
  const results = [INPUTS, ...first, WAITED, INPUTS, ...red('a'), WAITED, INPUTS, ...red('a')];
  expect(play(last, begun, ...results).phase).toMatchObject({ at: 'end', ending: { kind: 'iteration-limit' } });
  const poor = { ...begun, terms: { budget: { timeMs: 1 } } };
  const machine = machineOf('pivot');
  const rich = play(machine, begun, ...results.slice(0, -1));
  const spent = play(machine, { ...rich, terms: poor.terms }, ...results.slice(-1));
  expect(spent.phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
  // A pivot has other flags than the work, under which the limit is recorded.
  const until = rich.at + 60_000;
  const limited = { is: 'limited', by: 'reserve', until, resetAt: until, reason: 'r', inARow: 0 } as const;
  const unavailable = { [keyOf({ command: 'work-agent', flags: [] })]: limited };
  const kept = play(machine, { ...rich, unavailable }, ...results.slice(-1));
  expect(kept.phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
});
