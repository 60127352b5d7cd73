import { expect, test } from 'vitest';
import type { Fault } from '../script/script.ts';
import { type Step, stepsBefore, stepsOf } from './send.ts';

const EVENTS = ['data: {"a":1}\n\n', 'data: {"b":2}\n\n', 'data: {"c":3}\n\n'];

function written(steps: Iterable<Step>): string {
  return [...steps].map((step) => (step.do === 'write' ? step.text : `[${step.do}]`)).join('');
}

test.each<Fault | undefined>([undefined, { stall: 'before' }, { cut: 'before' }, { bigReplyBytes: 1 }])(
  'with %j the reply itself is whole',
  (fault) => {
    expect(written(stepsOf(EVENTS, fault))).toBe(EVENTS.join(''));
  },
);

test('what happens before the first byte', () => {
  const before = (fault: Fault): Step[] => [...stepsBefore(fault)];
  expect(before({ stall: 'before' })).toEqual([{ do: 'wait', forMs: undefined }]);
  expect(before({ stall: 'before', forMs: 5 })).toEqual([{ do: 'wait', forMs: 5 }]);
  expect(before({ cut: 'before' })).toEqual([{ do: 'cut' }]);
  expect(before({ cut: 'event' })).toEqual([]);
  expect([...stepsBefore(undefined)]).toEqual([]);
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
