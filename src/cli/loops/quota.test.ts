import { expect, test } from 'vitest';
import { quotaLines } from './quota.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = new Date(2026, 10, 18, 3, 0).getTime();

test('each window of each agent has a line; what is old, or has reset since, is marked', () => {
  const samples = [
    {
      agent: 'claude',
      at: NOW - 4 * MINUTE,
      windows: [
        { name: 'five_hour', used: 0.824, resetsAt: NOW + 70 * MINUTE },
        { name: 'seven_day', used: 0.999, resetsAt: NOW + 48 * HOUR },
      ],
    },
    { agent: 'other', at: NOW - 9 * HOUR, windows: [{ name: 'five_hour', used: 1.2, resetsAt: NOW - 5 * HOUR }] },
    { agent: 'vague', at: NOW - 9 * HOUR, windows: [{ name: 'monthly', used: 0, resetsAt: null }] },
  ];
  expect(quotaLines(samples, NOW)).toEqual([
    'agent   window     used   resets                 as of',
    'claude  five hour  82 %   04:10                  4m ago',
    'claude  seven day  99 %   Fri 03:00              4m ago',
    'other   five hour  120 %  has reset (Tue 22:00)  9h ago (stale)',
    'vague   monthly    0 %    –                      9h ago (stale)',
  ]);
});

test('without a sample it says that no agent has reported any', () => {
  expect(quotaLines([], NOW)).toEqual([expect.stringMatching(/^No agent has reported its usage windows yet/)]);
});
