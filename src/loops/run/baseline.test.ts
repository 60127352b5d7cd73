/** The guardrails before the first iteration, folded from the records of a run. */
import { describe, expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/loops/play.ts';
import {
  checked,
  guardrail,
  INTERRUPTED,
  inputs,
  REQUEST,
  STARTED,
  WAITED,
  worked,
} from '../../../test/support/loops/results.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import type { Result } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { runRules } from './rules.ts';
import type { RunData } from './state.ts';

const run = loopMachine(runRules);
const INPUTS = inputs({
  guardrails: [guardrail('make lint', 'APPEND'), guardrail('make test', 'APPEND')],
  asksForResponse: true,
});
const found = (index: number, passed: boolean): Result => ({ ...checked(index, passed), isBaseline: true }) as Result;

function loop(baseline: 'show' | 'excuse' | 'off' | undefined, ...results: readonly Result[]): LoopState<RunData> {
  const request = { ...REQUEST, ...(baseline === undefined ? {} : { baseline }) };
  return play(run, run.begin(firstRecord('run', request)), INPUTS, ...results);
}

test.each(['off', undefined] as const)('baseline %s: the first action is the agent', (baseline) => {
  expect(run.next(loop(baseline))).toMatchObject({ do: 'start', key: '1/work/1/start' });
});

test('each check runs once, with its own key and log', () => {
  const first = run.next(loop('show'));
  expect(first).toMatchObject({ do: 'check', key: 'baseline/check/0' });
  expect(first.do === 'check' && first.check).toMatchObject({
    isBaseline: true,
    log: '.ralph/baseline_0_make_lint.log',
  });
  expect(run.next(loop('show', found(0, true)))).toMatchObject({ key: 'baseline/check/1' });
  expect(run.next(loop('show', found(0, true), found(1, true)))).toMatchObject({
    do: 'start',
    key: '1/work/1/start',
  });
});

test('a baseline that was stopped continues where it was, and is over once an agent was started', () => {
  const stopped: Result = { kind: 'ended', ending: { kind: 'stopped' } };
  const state = loop('show', found(0, true), stopped, { kind: 'continued' }, INPUTS);
  expect(run.next(state)).toMatchObject({ do: 'check', key: 'baseline/check/1' });
  const again = loop('show', found(0, true), found(1, true), STARTED, INTERRUPTED, WAITED, INPUTS);
  expect(run.next(again)).toMatchObject({ do: 'start', key: '1/work/2/start' });
});

describe('a check that was red', () => {
  const before = [found(0, false), found(1, true), STARTED];
  const promptOf = (state: LoopState<RunData>): string => {
    const action = run.next(state);
    return action.do === 'start' ? action.prompt : '';
  };

  test('is reported to the agent, and counts', () => {
    const state = loop('show', found(0, false), found(1, true));
    expect(promptOf(state)).toContain('This check was already red before the first iteration:\n- make lint (exit 1)');
    const judged = loop('show', ...before, worked('DONE'), checked(0, false), checked(1, true));
    expect(judged.phase).toMatchObject({ at: 'wait' });
    expect(judged.progress.notes[0]?.red).toHaveLength(1);
  });

  test('does not count if it is excused; any other one does', () => {
    const done = loop('excuse', ...before, worked('DONE'), checked(0, false), checked(1, true));
    expect(done.phase).toEqual({ at: 'end', ending: { kind: 'done' } });
    const red = loop('excuse', ...before, worked('DONE'), checked(0, false), checked(1, false, 'broken'));
    expect(red.phase).toMatchObject({ at: 'wait' });
    const prompt = promptOf(play(run, red, WAITED, INPUTS));
    expect(prompt).toContain('Guardrail "make test" failed');
    expect(prompt).not.toContain('Guardrail "make lint" failed');
    expect(prompt).toContain('It does not count');
    expect(prompt).toContain('the checks pass (make test)');
    expect(red.progress.notes[0]?.red.map(({ command }) => command)).toEqual(['make test']);
  });

  test('counts again once it has passed', () => {
    const fixed = loop('excuse', ...before, worked(), checked(0, true), checked(1, true), WAITED, INPUTS, STARTED);
    expect(play(run, fixed, worked('DONE'), checked(0, false), checked(1, true)).phase).toMatchObject({ at: 'wait' });
  });
});
