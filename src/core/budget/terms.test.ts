import { describe, expect, test } from 'vitest';
import {
  type Budget,
  isTimeToWrapUp,
  newWarnings,
  timeToWarning,
  timeToWrapUp,
  unwarned,
  warningDuring,
} from './terms.ts';
import { NO_USAGE } from './usage.ts';

const BUDGET: Budget = { costUsd: 10, tokens: 1000, timeMs: 100_000 };
const state = (costUsd: number, tokens = 0, workedMs = 0, budget = BUDGET) => ({
  terms: { budget },
  usage: { ...NO_USAGE, costUsd, inputTokens: tokens },
  workedMs,
});

describe('a warning', () => {
  test('comes once 80 % of any part of the budget is used, and not again', () => {
    expect(newWarnings(state(7), state(7.9))).toEqual([]);
    expect(newWarnings(state(7), state(8))).toEqual([{ of: 'cost', limit: 10, used: 8 }]);
    expect(newWarnings(state(8), state(9))).toEqual([]);
    expect(newWarnings(state(0), state(9, 800, 80_000)).map(({ of }) => of)).toEqual(['cost', 'tokens', 'time']);
  });

  test('does not come for what ends the loop', () => {
    expect(newWarnings(state(7), state(10))).toEqual([]);
  });

  test('comes again for a larger budget', () => {
    const larger = { costUsd: 20 };
    expect(newWarnings(state(10, 0, 0, larger), state(16, 0, 0, larger))).toHaveLength(1);
    expect(newWarnings(state(10), state(10, 0, 0, larger))).toEqual([]);
  });

  test('comes during a run, because of what it adds', () => {
    const [cost] = unwarned({ budget: { costUsd: 10 } }, state(6));
    if (cost === undefined) throw new Error('the part is not there');
    expect(warningDuring(cost, { costUsd: 1.9 })).toBeNull();
    expect(warningDuring(cost, {})).toBeNull();
    const estimate = { costUsd: 2, costSource: 'estimated', inputTokens: 5 } as const;
    expect(warningDuring(cost, estimate)).toEqual({ of: 'cost', limit: 10, used: 8, isEstimated: true });
    expect(unwarned({ budget: { costUsd: 10 } }, state(8))).toEqual([]);
  });

  test('about time comes after the rest of the 80 %', () => {
    expect(timeToWarning({ of: 'time', limit: 100_000, used: 30_000 })).toBe(50_000);
  });
});

test('an agent is asked to wrap up at 90 %, or halfway through what is left after that', () => {
  const cost = { of: 'cost', limit: 10, used: 6 } as const;
  expect(isTimeToWrapUp(cost, { costUsd: 2.9 })).toBe(false);
  expect(isTimeToWrapUp(cost, { costUsd: 3 })).toBe(true);
  expect(isTimeToWrapUp({ ...cost, used: 9.5 }, {})).toBe(false);
  expect(isTimeToWrapUp({ ...cost, used: 9.5 }, { costUsd: 0.25 })).toBe(true);
  expect(timeToWrapUp({ of: 'time', limit: 100_000, used: 30_000 })).toBe(60_000);
});
