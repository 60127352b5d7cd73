import { expect, test } from 'vitest';
import { readableLoop } from '../../test/support/loops/stored-loop.ts';
import type { Ending } from '../core/ending.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { type LoopKey, refusalOf } from './refusal.ts';

const waiting = { at: 'wait', until: 'command', then: 'same-iteration' } as const;
const asking = { ...waiting, asks: 'which database?' };
const ANSWER = { id: '1', at: 0, as: 'answer', text: 'This one.' } as const;
const inPane = { at: 'await', purpose: 'work', handle: { runner: 'tmux', name: 'x' } } as const;
const ended = (ending: Ending, loopKind = 'run'): Partial<ReadableLoop> => ({ ending, loopKind, supervisor: null });

test.each<[string, Partial<ReadableLoop>, string]>([
  ['at work', {}, 'pst'],
  ['at work in a pane', { phase: inPane }, 'pstA'],
  ['a worker of swarm', { loopKind: 'swarm' }, 'pstA'],
  ['about to pause', { wanted: 'pause' }, 'rst'],
  ['about to stop', { wanted: 'stop' }, 't'],
  ['paused', { phase: waiting }, 'rst'],
  ['asking', { phase: asking }, 'sta'],
  ['asking, without a supervisor', { phase: asking, supervisor: null }, 'rta'],
  ['without a supervisor', { supervisor: null }, 'rt'],
  ['without a supervisor, whose agent may be at work', { phase: inPane, supervisor: null }, 'rstA'],
  ['a worker of swarm without a supervisor', { loopKind: 'swarm', phase: inPane, supervisor: null }, 'rtA'],
  ['a job without a supervisor', { loopKind: 'job', supervisor: null }, 't'],
  ['done', ended({ kind: 'done' }), ''],
  ['stopped', ended({ kind: 'stopped' }), 'rt'],
  ['blocked', ended({ kind: 'blocked', reason: 'which database?' }), 'ta'],
  ['blocked, and answered', { ...ended({ kind: 'blocked', reason: 'which?' }), messages: [ANSWER] }, 'rta'],
  ['a stopped worker of swarm', ended({ kind: 'stopped' }, 'swarm'), ''],
  ['in a session', { loopKind: 'session', supervisor: null }, 'pst'],
])('the keys that act on a loop that is %s', (_, given, keys) => {
  const loop = readableLoop(given);
  const acting = [...'prstaA'].filter((key) => refusalOf(key as LoopKey, loop) === null);
  expect(acting.join('')).toBe(keys);
});

test('why a key does nothing', () => {
  const done = readableLoop(ended({ kind: 'done' }));
  expect(refusalOf('s', done)).toBe('It is done: there is nothing to stop.');
  expect(refusalOf('r', done)).toBe('It is done: there is nothing to resume.');
  expect(refusalOf('t', done)).toBe('It is done: there will be no further prompt.');
  expect(refusalOf('s', readableLoop(ended({ kind: 'stopped' })))).toBe('It is over: there is nothing to stop.');
  const left = 'It has no supervisor, so nothing is running.';
  for (const key of ['p', 's'] as const) {
    expect(refusalOf(key, readableLoop({ supervisor: null }))).toBe(`${left} To resume it, press r.`);
    expect(refusalOf(key, readableLoop({ supervisor: null, loopKind: 'job' }))).toBe(left);
    expect(refusalOf(key, readableLoop({ wanted: 'stop' }))).toBe('It already stops after this iteration.');
  }
  expect(refusalOf('p', readableLoop({ wanted: 'pause' }))).toContain('already pauses');
  expect(refusalOf('p', readableLoop({ loopKind: 'session', wanted: 'pause', supervisor: null }))).not.toContain(
    'press',
  );
  expect(refusalOf('r', readableLoop({ phase: asking }))).toBe('It waits for an answer: press a.');
  expect(refusalOf('r', readableLoop(ended({ kind: 'blocked', reason: 'which?' })))).toBe(
    'It waits for an answer: press a.',
  );
  expect(refusalOf('r', readableLoop({ wanted: 'stop' }))).toContain('after this iteration');
  expect(refusalOf('r', readableLoop({ loopKind: 'session' }))).toContain('/ralph-loop --resume');
});
