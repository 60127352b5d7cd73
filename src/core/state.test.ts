import { expect, test } from 'vitest';
import { firstRecord, play } from '../../test/support/loops/play.ts';
import { INTERRUPTED, inputs, REQUEST, STARTED, WAITED, worked } from '../../test/support/loops/results.ts';
import { runRules } from '../loops/run/rules.ts';
import { loopMachine } from './machine/machine.ts';
import type { Result } from './record.ts';
import { startedIterations } from './state.ts';

const run = loopMachine(runRules);
const began = (...results: readonly Result[]) =>
  startedIterations(play(run, run.begin(firstRecord('run', REQUEST)), ...results));

test('an iteration counts from the start of its agent', () => {
  expect(began()).toBe(0);
  expect(began(inputs())).toBe(0);
  expect(began(inputs(), STARTED)).toBe(1);
  expect(began(inputs(), STARTED, worked())).toBe(1);
  expect(began(inputs(), STARTED, worked(), WAITED)).toBe(1);
  expect(began(inputs(), STARTED, worked(), WAITED, inputs(), STARTED)).toBe(2);
});

test('an iteration that was interrupted and waits for its next try counts', () => {
  expect(began(inputs(), STARTED, INTERRUPTED, WAITED)).toBe(1);
});
