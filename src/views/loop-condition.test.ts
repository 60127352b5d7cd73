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

  test('shows a command that it has not obeyed yet', () => {
    expect(shown({ wanted: 'pause' })).toBe('working: pausing');
    expect(shown({ wanted: 'stop' })).toBe('working: stopping');
    expect(shown({ wanted: 'pause', phase: PAUSED })).toBe('waiting: paused');
  });
});

test('a loop without a supervisor says so, unless it runs inside a session', () => {
  expect(shown({ supervisor: null })).toBe('left: supervisor died');
  expect(shown({ supervisor: null, leaving: { is: 'unknown' } })).toBe('left: no supervisor');
  expect(shown({ supervisor: null, loopKind: 'session' })).toBe('working: in its session');
  expect(shown({ supervisor: null, loopKind: 'session', phase: PAUSED })).toBe('waiting: paused');
  const capped: Phase = { at: 'step', what: 'resume' };
  expect(shown({ supervisor: null, loopKind: 'session', phase: capped })).toBe('needs-you: waits for --resume');
});

test.each([
  ['stopped by Ctrl-C', 'SIGINT'],
  ['terminal closed', 'SIGHUP'],
  ['interrupted', 'SIGTERM'],
  ['interrupted', null],
])('a loop that its supervisor left is "%s" (%s)', (words, by) => {
  expect(shown({ supervisor: null, leaving: { is: 'left', by } })).toBe(`left: ${words}`);
});

test('a loop inside a session shows a command that it has not obeyed yet', () => {
  expect(shown({ supervisor: null, loopKind: 'session', wanted: 'pause' })).toBe('working: pausing');
  expect(shown({ supervisor: null, loopKind: 'session', wanted: 'pause', phase: PAUSED })).toBe('waiting: paused');
});

test('a question that was answered does not need a person any more', () => {
  const asked = { supervisor: null, ending: { kind: 'decision', reason: 'which database?' } } as const;
  expect(shown({ ...asked, messages: [{ as: 'answer', text: 'PostgreSQL' }] })).toBe('waiting: answered');
});

test.each<[string, Ending]>([
  ['done: done', { kind: 'done' }],
  ['needs-you: not published', { kind: 'unpublished', reason: 'no remote' }],
  ['needs-you: not logged in', { kind: 'auth', reason: 'expired' }],
  ['needs-you: needs you', { kind: 'decision', reason: 'which database?' }],
  ['needs-you: needs you', { kind: 'waiting', reason: 'a review' }],
  ['left: limit until #9', { kind: 'usage-limit', reason: 'full', resetAt: 9 }],
  ['left: usage limit', { kind: 'usage-limit', reason: 'full', resetAt: null }],
  ['failed: out of time', { kind: 'budget', of: 'until', until: 9 }],
  ['failed: cost budget used up', { kind: 'budget', of: 'cost', limit: 1, used: 2 }],
  ['failed: reached its limit', { kind: 'iteration-limit', limit: 3 }],
  ['failed: kept failing', { kind: 'kept-failing', failures: 5 }],
  ['failed: tampered with', { kind: 'tampered', reason: 'x' }],
  ['left: stopped', { kind: 'stopped' }],
  ['failed: archived', { kind: 'stopped', reason: 'archived' }],
])('an ended loop is "%s"', (words, ending) => {
  expect(shown({ ending, supervisor: null })).toBe(words);
});
