import { expect, test } from 'vitest';
import type { Notice } from '../core/notice.ts';
import { messageData } from './message-data.ts';
import { summaryOf } from './plan.ts';
import { valuesOf } from './template.ts';

const LOOP = { id: 'l-k3x9', name: 'k3x9', kind: 'run', place: 'shop' };
const FAILED: Notice = {
  v: 1,
  id: 'n1',
  at: 0,
  event: 'failed',
  title: '✗ shop: stuck',
  text: 'x',
  loop: LOOP,
  can: [],
};
const ASKS: Notice = { ...FAILED, id: 'n2', at: 1000, event: 'blocked', question: 'Which?', can: ['answer'] };

test('a message has its time in words, and nothing that only ralph needs', () => {
  expect(messageData(FAILED)).toEqual({
    id: 'n1',
    time: '1970-01-01T00:00:00.000Z',
    event: 'failed',
    title: '✗ shop: stuck',
    text: 'x',
    loop: LOOP,
  });
});

test('a summary is called so, and holds each message that it stands for', () => {
  const summary = summaryOf([FAILED, ASKS]);
  expect(messageData(summary)).toMatchObject({
    event: 'summary',
    loop: null,
    title: 'ralph: 1 blocked, 1 failed',
    messages: [messageData(FAILED), { id: 'n2', event: 'blocked', question: 'Which?', loop: LOOP }],
  });
  expect(valuesOf(summary).event).toBe('summary');
});
