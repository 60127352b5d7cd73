import { describe, expect, test } from 'vitest';
import { readableLoop } from '../../test/support/loops/stored-loop.ts';
import type { Ending } from '../core/ending.ts';
import type { Phase } from '../core/state.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { conditionOf } from './loop-condition.ts';

const clock = (at: number) => `#${at}`;
const shown = (given: Partial<ReadableLoop>) => {
  const { is, words } = conditionOf(readableLoop(given), clock);
  return `${is}: ${words}`;
};
const handle = { runner: 'direct', name: 'r' };
const PAUSED: Phase = { at: 'wait', until: 'command', then: 'next-iteration' };

describe('a loop that a supervisor turns', () => {
  test.each<[string, Phase]>([
    ['working: working (claude)', { at: 'await', purpose: 'work', handle }],
    ['working: message', { at: 'await', purpose: 'message', handle }],
    ['working: checking', { at: 'check', index: 0 }],
    ['working: publishing', { at: 'publish', index: 0 }],
    ['working: working (claude)', { at: 'step', what: 'judge' }],
    ['waiting: waits until #5', { at: 'wait', until: 5, then: 'same-iteration' }],
    ['waiting: paused', PAUSED],
  ])('is "%s"', (words, phase) => {
    expect(shown({ phase })).toBe(words);
  });

  test('says what it was told and has not done yet', () => {
    expect(shown({ wanted: 'pause' })).toBe('working: pausing');
    expect(shown({ wanted: 'stop' })).toBe('working: stopping');
    expect(shown({ wanted: 'pause', phase: PAUSED })).toBe('waiting: paused');
  });
});

test('a loop without a supervisor says so, unless it runs inside a session', () => {
  expect(shown({ supervisor: null })).toBe('left: no supervisor');
  expect(shown({ supervisor: null, loopKind: 'session' })).toBe('working: in its session');
  expect(shown({ supervisor: null, loopKind: 'session', phase: PAUSED })).toBe('waiting: paused');
  const capped: Phase = { at: 'step', what: 'resume' };
  expect(shown({ supervisor: null, loopKind: 'session', phase: capped })).toBe('needs-you: waits for --resume');
});

test.each<[string, Ending]>([
  ['done: done', { kind: 'done' }],
  ['needs-you: not published', { kind: 'unpublished', reason: 'no remote' }],
  ['needs-you: not logged in', { kind: 'auth', reason: 'expired' }],
  ['needs-you: needs you', { kind: 'decision', reason: 'which database?' }],
  ['needs-you: needs you', { kind: 'waiting', reason: 'a review' }],
  ['waiting: limit until #9', { kind: 'usage-limit', reason: 'full', resetAt: 9 }],
  ['waiting: usage limit', { kind: 'usage-limit', reason: 'full', resetAt: null }],
  ['failed: reached its limit', { kind: 'iteration-limit', limit: 3 }],
  ['failed: kept failing', { kind: 'kept-failing', failures: 5 }],
  ['failed: tampered with', { kind: 'tampered', reason: 'x' }],
  ['left: stopped', { kind: 'stopped' }],
  ['failed: archived', { kind: 'stopped', reason: 'archived' }],
])('an ended loop is "%s"', (words, ending) => {
  expect(shown({ ending, supervisor: null })).toBe(words);
});
