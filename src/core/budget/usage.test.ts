import { describe, expect, test } from 'vitest';
import type { AgentResult } from '../events.ts';
import { addRun, describeUsage, dollars, NO_USAGE, type Usage } from './usage.ts';

function usageAfter(...accounts: readonly (Partial<AgentResult> | null)[]): Usage {
  return accounts.reduce(
    (usage: Usage, account) =>
      addRun(usage, account === null ? null : { account: { isError: false, text: '', ...account }, toolCalls: 2 }),
    NO_USAGE,
  );
}

const PRICED = { costUsd: 0.25, inputTokens: 1000, outputTokens: 50 };

describe('what a loop has used', () => {
  test('is the sum of its runs', () => {
    expect(describeUsage(usageAfter(PRICED, PRICED))).toBe('2 runs, $0.50, 2K tokens in / 100 out, 4 tool calls');
  });

  test('says how much of the input came from a cache', () => {
    expect(describeUsage(usageAfter({ ...PRICED, cacheReadTokens: 600 }, PRICED))).toContain(
      '2K tokens in (600 cached) / 100 out',
    );
  });

  test('is reported in tokens if the agent reports no price', () => {
    expect(describeUsage(usageAfter({ inputTokens: 5, outputTokens: 7 }))).toBe(
      '1 run, 5 tokens in / 7 out, 2 tool calls, cost unknown',
    );
  });

  test('is unknown where the agent reports none, and never $0', () => {
    expect(describeUsage(addRun(NO_USAGE, {}))).toBe('1 run, cost unknown');
  });

  test('names the runs whose cost is missing from the sum, also interrupted ones', () => {
    expect(describeUsage(usageAfter(PRICED, null))).toBe(
      '2 runs, $0.25, 1K tokens in / 50 out, 2 tool calls, 1 run of unknown cost',
    );
  });
});

test.each([
  [0, '$0.00'],
  [0.0016, '$0.0016'],
  [0.05, '$0.050'],
  [0.1, '$0.10'],
  [5.764, '$5.76'],
])('%d dollars are written %s', (amount, text) => {
  expect(dollars(amount)).toBe(text);
});
