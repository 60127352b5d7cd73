import { expect, test } from 'vitest';
import { addRun, NO_USAGE } from '../core/budget/usage.ts';
import { costWords, knownUsage } from './loop-words.ts';

const UNKNOWN = { costUsd: null, inputTokens: null, outputTokens: null, toolCalls: null };

test('what no run told is unknown, not zero', () => {
  expect(knownUsage(NO_USAGE)).toMatchObject({ runs: 0, ...UNKNOWN });
  const plain = addRun(NO_USAGE, {});
  expect(knownUsage(plain)).toMatchObject({ runs: 1, runsWithoutCost: 1, ...UNKNOWN });
  expect(costWords(plain)).toBe('–');
});

test('what some runs told is what is known', () => {
  const used = { costUsd: 0.5, inputTokens: 10, outputTokens: 2 };
  const usage = addRun(addRun(NO_USAGE, {}), { used, toolCalls: 0 });
  expect(knownUsage(usage)).toMatchObject({ runs: 2, ...used, toolCalls: 0, runsWithoutCost: 1 });
  expect(costWords(usage)).toBe('$0.50+');
});
