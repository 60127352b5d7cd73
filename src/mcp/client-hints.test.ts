import { expect, test } from 'vitest';
import { clientHints } from './client-hints.ts';

test.each([
  ['To continue, run: ralph resume 9b54', 'To continue, call resume_loop with {"loop":"9b54"}'],
  ['To continue, run: ralph resume 9b54 -m 6', 'To continue, call resume_loop with {"loop":"9b54","maxIterations":6}'],
  ['run: ralph resume 9b54 --max-cost 1.8.', 'call resume_loop with {"loop":"9b54","maxCostUsd":1.8}.'],
  ['run: ralph resume 9b54 --max-time 1h30m', 'call resume_loop with {"loop":"9b54","maxTime":"1h30m"}'],
  ['Stop it first: ralph stop 9b54', 'Stop it first: call stop_loop with {"loop":"9b54"}'],
  ['To watch it: ralph logs 9b54 -f', 'To watch it: call loop_log with {"loop":"9b54"}'],
  ['To drop it, run: ralph gc 9b54', 'To drop it, run: ralph gc 9b54'],
])('%s', (said, told) => {
  expect(clientHints(said)).toBe(told);
});
