import { describe, expect, test } from 'vitest';
import type { Notice, NoticeEvent } from '../core/notice.ts';
import { pauseAfter, planFor, type Routing, summaryOf } from './plan.ts';

const SECOND = 1000;
const NOW = 1_000_000;
const ROUTING: Routing = {
  quietUntil: null,
  breakThrough: ['blocked'],
  hasButtons: false,
  notBefore: 0,
  second: SECOND,
};

let count = 0;
const notice = (at: number, event: NoticeEvent = 'done', more: Partial<Notice> = {}): Notice => ({
  v: 1,
  id: `n${++count}`,
  at,
  event,
  title: `${event} in shop`,
  text: 'x',
  loop: { id: 'l', name: 'k3x9', kind: 'run', place: 'shop' },
  can: [],
  ...more,
});
const OLD = NOW - 60 * SECOND;

describe('what is sent', () => {
  test('a message waits a moment for others, then goes out', () => {
    expect(planFor([notice(NOW - 500)], NOW, ROUTING)).toEqual({ send: [], at: NOW + 1500 });
    const one = notice(NOW - 2000);
    expect(planFor([one], NOW, ROUTING)).toEqual({ send: [[one]], at: null });
  });

  test('two are two messages, three are one', () => {
    const [a, b, c] = [notice(OLD), notice(OLD), notice(NOW)];
    expect(planFor([a, b], NOW, ROUTING).send).toEqual([[a], [b]]);
    expect(planFor([a, b, c], NOW, ROUTING).send).toEqual([[a, b, c]]);
  });

  test('a question stays a message of its own where it can be answered by a button', () => {
    const asks = notice(OLD, 'blocked', { question: 'Which?', can: ['answer'] });
    const ended = [notice(OLD), notice(OLD), notice(OLD)];
    const [first = asks, ...rest] = ended;
    expect(planFor([first, asks, ...rest], NOW, { ...ROUTING, hasButtons: true }).send).toEqual([[asks], ended]);
    expect(planFor([first, asks], NOW, { ...ROUTING, hasButtons: true }).send).toEqual([[asks], [first]]);
    expect(planFor([asks, ...ended], NOW, ROUTING).send).toEqual([[asks, ...ended]]);
  });

  test('nothing before the receiver is to be asked again', () => {
    const plan = planFor([notice(OLD)], NOW, { ...ROUTING, notBefore: NOW + 9000 });
    expect(plan).toEqual({ send: [], at: NOW + 9000 });
  });

  test('a message from the future goes out all the same', () => {
    const one = notice(NOW + 3600 * SECOND);
    expect(planFor([one], NOW, ROUTING)).toEqual({ send: [[one]], at: null });
  });
});

describe('in quiet hours', () => {
  const quiet = { ...ROUTING, quietUntil: NOW + 3600 * SECOND };

  test('messages wait for their end, but for those that break through', () => {
    const [done, blocked] = [notice(OLD), notice(OLD, 'blocked')];
    expect(planFor([done], NOW, quiet)).toEqual({ send: [], at: quiet.quietUntil });
    expect(planFor([done, blocked], NOW, quiet)).toEqual({ send: [[blocked]], at: quiet.quietUntil });
  });

  test('what waited is one message afterwards', () => {
    const held = [notice(OLD), notice(OLD), notice(OLD, 'failed'), notice(OLD)];
    expect(planFor(held, NOW, ROUTING).send).toEqual([held]);
  });
});

test('pauses grow, and end', () => {
  expect([1, 2, 3, 4, 5, 6].map((tries) => pauseAfter(tries, SECOND))).toEqual([
    2000,
    10_000,
    60_000,
    300_000,
    900_000,
    null,
  ]);
});

describe('a summary', () => {
  test('counts, and lists what each is about, questions too', () => {
    const asks = notice(3, 'blocked', { question: 'Which\none?' });
    const [one, two] = [notice(1), notice(2)];
    const summary = summaryOf([one, two, asks]);
    expect(summary.parts).toEqual([one, two, asks]);
    expect(summary).toMatchObject({ event: 'blocked', title: 'ralph: 1 blocked, 2 done', at: 3, loop: null, can: [] });
    expect(summary.text).toBe('done in shop (k3x9)\ndone in shop (k3x9)\nblocked in shop: Which one? (k3x9)');
  });

  test('of many says how many more there are', () => {
    const summary = summaryOf(Array.from({ length: 40 }, () => notice(1)));
    expect(summary.text.split('\n')).toHaveLength(13);
    expect(summary.text).toContain('and 28 more');
  });

  test('fits with its title into what a chat takes', () => {
    const asks = Array.from({ length: 12 }, () => notice(1, 'blocked', { question: 'x '.repeat(400) }));
    expect(Array.from(summaryOf(asks).text).length).toBeLessThanOrEqual(1500);
  });

  test('of one is that one', () => {
    const one = notice(1);
    expect(summaryOf([one])).toBe(one);
  });
});
