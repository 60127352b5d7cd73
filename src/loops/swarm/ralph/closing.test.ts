import { expect, test } from 'vitest';
import { firstRecord } from '../../../../test/support/play.ts';
import { ralphClosing } from './closing.ts';
import type { FoundRalph } from './find.ts';
import { ralphMachine } from './rules.ts';

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
