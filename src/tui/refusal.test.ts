import { expect, test } from 'vitest';
import { readableLoop } from '../../test/support/loops/stored-loop.ts';
import type { Ending } from '../core/ending.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { type LoopKey, refusalOf } from './refusal.ts';

const waiting = { at: 'wait', until: 'command', then: 'same-iteration' } as const;
const asking = { ...waiting, asks: 'which database?' };
const ANSWER = { id: '1', at: 0, as: 'answer', text: 'This one.' } as const;
const inPane = { at: 'await', purpose: 'work', handle: { runner: 'tmux', name: 'x' } } as const;
/** An item of the list. */
const listed = (loop: Partial<ReadableLoop>, successor: string | null = null) => ({
  loop: readableLoop(loop),
  short: 'k3x9',
  successor,
});
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
  ['at its limit', ended({ kind: 'iteration-limit', limit: 3 }), 't'],
  ['a task at its limit', ended({ kind: 'iteration-limit', limit: 3 }, 'task'), 'rt'],
  ['out of its budget', ended({ kind: 'budget', of: 'cost', limit: 2, used: 2.5 }), 't'],
  [
    'out of the budget of a story',
    ended({ kind: 'budget', of: 'cost', limit: 2, used: 2, story: 'A' }, 'stories'),
    'rt',
  ],
  ['past its time', ended({ kind: 'budget', of: 'until', until: 0 }), 'rt'],
  ['in a session', { loopKind: 'session', supervisor: null }, 'pst'],
])('the keys that act on a loop that is %s', (_, given, keys) => {
  const acting = [...'prstaA'].filter((key) => refusalOf(key as LoopKey, listed(given)) === null);
  expect(acting.join('')).toBe(keys);
});

test('why a key does nothing', () => {
  const done = listed(ended({ kind: 'done' }));
  expect(refusalOf('s', done)).toBe('It is done: there is nothing to stop.');
  expect(refusalOf('r', done)).toBe('It is done: there is nothing to resume.');
  expect(refusalOf('t', done)).toBe('It is done: there will be no further prompt.');
  expect(refusalOf('s', listed(ended({ kind: 'stopped' })))).toBe('It is over: there is nothing to stop.');
  const left = 'It has no supervisor, so it makes no progress.';
  for (const key of ['p', 's'] as const) {
    expect(refusalOf(key, listed({ supervisor: null }))).toBe(`${left} To resume it, press r.`);
    expect(refusalOf(key, listed({ supervisor: null, loopKind: 'job' }))).toBe(left);
    expect(refusalOf(key, listed({ wanted: 'stop' }))).toBe('It already stops after this iteration.');
  }
  expect(refusalOf('p', listed({ wanted: 'pause' }))).toContain('already pauses');
  expect(refusalOf('p', listed({ loopKind: 'session', wanted: 'pause', supervisor: null }))).not.toContain('press');
  expect(refusalOf('r', listed({ phase: asking }))).toBe('It waits for an answer: press a.');
  expect(refusalOf('r', listed(ended({ kind: 'blocked', reason: 'which?' })))).toBe('It waits for an answer: press a.');
  expect(refusalOf('r', listed({ wanted: 'stop' }))).toContain('after this iteration');
  expect(refusalOf('r', listed({ loopKind: 'session' }))).toContain('/ralph-loop --resume');
  expect(refusalOf('r', listed(ended({ kind: 'iteration-limit', limit: 3 })))).toBe(
    'It has reached its limit of 3 iterations. To continue, run: ralph resume k3x9 -m 6',
  );
  expect(refusalOf('r', listed(ended({ kind: 'budget', of: 'cost', limit: 2, used: 2.5 })))).toBe(
    'It has cost $2.50 of $2.00 (--max-cost). To continue, run: ralph resume k3x9 --max-cost 4',
  );
});

test('a task that goes on in another loop is not continued, answered or told anything here', () => {
  const waiting = listed(ended({ kind: 'waiting', reason: 'which?' }, 'task'), 'b41f');
  for (const key of ['r', 't', 'a'] as const)
    expect(refusalOf(key, waiting)).toBe('It is over: its task goes on in loop b41f.');
});
