import { expect, test } from 'vitest';
import { firstRecord } from '../../../../test/support/loops/play.ts';
import { durationParts, ralphClosing } from './console.ts';
import type { FoundRalph } from './find.ts';
import { ralphMachine } from './rules.ts';

test.each([
  [0, '0s', '0s'],
  [42_900, '42s', '42s'],
  [342_000, '5m 42s', '5m42s'],
  [4_500_000, '1h 15m', '1h15m'],
  [90_000_000, '25h 0m', '25h0m'],
])('%i ms are spoken %s and written %s', (ms, spoken, written) => {
  expect(durationParts(ms).join(' ')).toBe(spoken);
  expect(durationParts(ms).join('')).toBe(written);
});

test('an agent that was left to itself is at work until now, not until its start was recorded', () => {
  const begun = ralphMachine.begin(firstRecord('swarm', { name: 'agent', maxIterations: 2 }));
  const handle = { runner: 'tmux', name: 'x' } as const;
  const state = { ...begun, phase: { at: 'await', purpose: 'work', handle } } as const;
  const found: FoundRalph = {
    id: state.id,
    cwd: state.cwd,
    folder: '/loop',
    isOver: false,
    state,
    createdAt: state.at,
    iterationStartedAt: state.at,
    lastRun: null,
    problem: null,
  };
  const work = { kind: 'unknown', reason: 'its agent still runs.' } as const;
  const { durationMs } = ralphClosing(found, { work, cwd: '/work', now: state.at + 192_000, clock: String });
  expect(durationMs).toBe(192_000);
});
