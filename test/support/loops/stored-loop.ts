/** A loop as a store lists it. */
import { NO_USAGE } from '../../../src/core/budget/usage.ts';
import type { ReadableLoop } from '../../../src/engine/store/loop-store.ts';

export function readableLoop(given: Partial<ReadableLoop> = {}): ReadableLoop {
  return {
    v: 2,
    id: '20261117-070000-0123abcd',
    loopKind: 'run',
    cwd: '/work',
    createdAt: 0,
    updatedAt: 0,
    ending: null,
    journalBytes: 0,
    iterations: 1,
    phase: { at: 'inputs' },
    workedMs: 0,
    usage: NO_USAGE,
    lastFailure: null,
    lastCommit: null,
    about: { limit: 10, agent: '/usr/bin/claude' },
    fallback: null,
    transcript: null,
    leaving: { is: 'unsaid' },
    consumed: null,
    told: [],
    supervisor: { pid: 7 },
    wanted: 'run',
    messages: [],
    ...given,
  };
}
