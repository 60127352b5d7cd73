import { expect, test } from 'vitest';
import type { Outcome } from '../../core/outcome.ts';
import { outcomeLines } from './words.ts';

test.each<[Outcome, string]>([
  [{ kind: 'limit', reason: 'no more today', resetAt: null }, 'The agent reached its usage limit: no more today'],
  [{ kind: 'auth', reason: 'Invalid API key' }, 'The agent could not authenticate: Invalid API key'],
  [{ kind: 'infrastructure', reason: 'overloaded' }, 'A fault outside the work: overloaded'],
  [{ kind: 'failed', exit: { by: 'code', code: 7 } }, 'Agent failed (exit 7)'],
])('the result of a run is a sentence: %o', (outcome, line) => {
  expect(outcomeLines(outcome)).toEqual([line]);
});
