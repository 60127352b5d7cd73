import { expect, test } from 'vitest';
import { usageSum } from './usage-sum.ts';

test('figures are added up; one that is never told stays unknown', () => {
  const usage = usageSum();
  expect(usage.sum()).toEqual({});
  usage.add({ inputTokens: 1, outputTokens: 2 });
  usage.add({ inputTokens: 10, cacheReadTokens: 0 });
  expect(usage.sum()).toEqual({ inputTokens: 11, outputTokens: 2, cacheReadTokens: 0 });
});
