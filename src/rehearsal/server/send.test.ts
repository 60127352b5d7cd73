import { expect, test } from 'vitest';
import type { Fault } from '../script/script.ts';
import { type Step, stepsOf } from './send.ts';

const EVENTS = ['data: {"a":1}\n\n', 'data: {"b":2}\n\n', 'data: {"c":3}\n\n'];

function written(steps: Iterable<Step>): string {
  return [...steps].map((step) => ('write' in step ? step.write : 'cut' in step ? '[cut]' : '[wait]')).join('');
}

test.each<Fault | undefined>([undefined, { bigReplyBytes: 1 }])('with %j the reply itself is whole', (fault) => {
  expect(written(stepsOf(EVENTS, fault))).toBe(EVENTS.join(''));
});

test('what happens before the first byte, and the reply behind it is whole', () => {
  const steps = (fault: Fault): Step[] =>
    [...stepsOf(EVENTS, fault)].filter((step) => !('write' in step && step.write === ''));
  const reply = { write: EVENTS.join('') };
  expect(steps({ stall: 'before' })).toEqual([{ waitMs: undefined }, reply]);
  expect(steps({ stall: 'before', forMs: 5 })).toEqual([{ waitMs: 5 }, reply]);
  expect(steps({ cut: 'before' })).toEqual([{ cut: true }, reply]);
});

test('a stall and a cut fall inside an event, and what is written is the reply', () => {
  const stalled = written(stepsOf(EVENTS, { stall: 'middle', forMs: 5 }));
  expect(stalled).toBe('data: {"a":1}\n\ndata: {"[wait]b":2}\n\ndata: {"c":3}\n\n');
  expect(written(stepsOf(EVENTS, { cut: 'event' }))).toMatch(/^data: \{"a":1\}\n\ndata: \{"\[cut\]/);
});

test('from the middle on events are malformed, but events by their form', () => {
  const [one, two, three] = written(stepsOf(EVENTS, { malformed: true })).split('\n\n');
  expect([one, two, three]).toEqual(['data: {"a":1}', 'data: {"b":2', 'data: {"c":3']);
});

test('a reply in one piece is broken inside', () => {
  expect(written(stepsOf(['{"a":[1]}'], { malformed: true }))).toBe('{"a":[1]');
  expect(written(stepsOf(['{"a":[1]}'], { cut: 'event' }))).toBe('{"a":[cut][1]}');
});
