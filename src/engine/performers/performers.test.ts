/** Which performer carries out an action, and what happens when a step fails. */
import { expect, test } from 'vitest';
import { STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import type { Action } from '../../core/action.ts';
import { alwaysReady } from '../../process/follow.ts';
import type { PerformAt, Performers, StepAt } from './perform.ts';
import { performerOf } from './performers.ts';

type Steps = { readonly double: { readonly given: number; readonly gave: number } };

const BASE: Performers = {
  readInputs: () => ({ kind: 'inputs', digest: 'd', inputs: null }),
  start: async () => STARTED,
  await: async () => worked(),
  wait: async () => WAITED,
};
const step = (what: string): Action => ({ do: 'step', key: 'k', what, given: 21, outward: false });
const at = (signal = new AbortController().signal): PerformAt => ({
  signal,
  ready: alwaysReady,
  progress: () => undefined,
});
const doubling = (double: (given: number, where: StepAt) => Promise<number>) =>
  performerOf<Steps>({ ...BASE, steps: { double } });

test('a step gets its key and what the rules give, and its result names it', async () => {
  const keys: string[] = [];
  const perform = doubling(async (given, { key }) => {
    keys.push(key);
    return 2 * given;
  });
  expect(await perform(step('double'), at())).toEqual({ result: { kind: 'stepped', what: 'double', gave: 42 } });
  expect(keys).toEqual(['k']);
});

test('a step that fails is an error, unless it was cut off: then it is done again', async () => {
  const perform = doubling(async () => {
    throw new Error('no room');
  });
  await expect(perform(step('double'), at())).rejects.toThrow('no room');
  expect(await perform(step('double'), at(AbortSignal.abort()))).toEqual({
    result: { kind: 'interrupted', reason: 'cancelled' },
  });
});

test.each<[string, Action]>([
  ['the step "triple"', step('triple')],
  [
    '"publish"',
    { do: 'publish', key: 'k', what: { index: 0, command: 'git', task: 'push', message: '', stage: 'all' } },
  ],
  ['"end"', { do: 'end', key: 'k', ending: { kind: 'done' } }],
])('an action without a performer is an error: %s', async (what, action) => {
  await expect(performerOf(BASE)(action, at())).rejects.toThrow(`nothing performs ${what} here`);
});
