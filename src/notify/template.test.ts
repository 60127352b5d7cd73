import { expect, test } from 'vitest';
import type { Notice } from '../core/notice.ts';
import { filled, valuesOf } from './template.ts';

const NOTICE: Notice = {
  v: 1,
  id: 'n1',
  at: Date.UTC(2026, 0, 1),
  event: 'blocked',
  title: '! shop: needs you',
  text: 'He said "x"\n{event} & more',
  question: 'Which?',
  loop: { id: 'l', name: 'k3x9', kind: 'run', place: 'shop' },
  next: 'ralph answer k3x9 "…"',
  can: [],
};
const VALUES = valuesOf(NOTICE);

test('an object is filled and written as JSON, whatever the values hold', () => {
  const { content, type } = filled(
    { a: ['{title}', 7, null], b: { c: 'x {text} y', '{kind}': true } },
    VALUES,
    undefined,
  );
  expect(type).toBe('application/json');
  expect(JSON.parse(content)).toEqual({
    a: ['! shop: needs you', 7, null],
    b: { c: 'x He said "x"\n{event} & more y', '{kind}': true },
  });
});

test('a text that is JSON gets its values escaped', () => {
  const { content } = filled('{"text": "{text}", "n": {}}', VALUES, 'application/json');
  expect(JSON.parse(content)).toEqual({ text: NOTICE.text, n: {} });
});

test('a form gets its values encoded', () => {
  const { content } = filled('message={text}&loop={loop}', VALUES, 'application/x-www-form-urlencoded');
  expect(Object.fromEntries(new URLSearchParams(content))).toEqual({ message: NOTICE.text, loop: 'k3x9' });
});

test('plain text gets them as they are; a value is not filled in turn', () => {
  expect(filled('{place}: {text} ({time})', VALUES, undefined)).toEqual({
    content: 'shop: He said "x"\n{event} & more (2026-01-01T00:00:00.000Z)',
    type: 'text/plain; charset=utf-8',
  });
});
