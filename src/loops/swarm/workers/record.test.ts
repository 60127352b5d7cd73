import { expect, test } from 'vitest';
import { isoMicroseconds } from '../ralph/files.ts';
import { describePlace, parseRecord, timeSince } from './record.ts';

test('a time is local, with microseconds and without a zone, and can be read back', () => {
  const at = new Date(2024, 0, 5, 3, 7, 9, 12);
  expect(isoMicroseconds(at.getTime())).toBe('2024-01-05T03:07:09.012000');
  expect(timeSince(isoMicroseconds(at.getTime()), new Date(at.getTime() + 61_000))).toBe('1m');
});

test.each([
  [-5, '0s'],
  [0, '0s'],
  [59, '59s'],
  [60, '1m'],
  [3599, '59m'],
  [3600, '1h'],
  [86_399, '23h'],
  [86_400, '1d'],
  [1_000_000, '11d'],
])('%d seconds ago is %s', (seconds, text) => {
  const now = new Date(2024, 0, 15);
  expect(timeSince(isoMicroseconds(now.getTime() - seconds * 1000), now)).toBe(text);
});

test('an unreadable time is a dash', () => {
  expect(timeSince('yesterday', new Date())).toBe('-');
});

test('missing fields of an older file are filled in, additional ones are kept, and what is no worker is left out', () => {
  const record = parseRecord({ name: 'w', cmd: ['cat'], later: 1 });
  expect(record).toMatchObject({ name: 'w', status: 'running', env: {}, tags: [], tmux: null, metadata: {}, later: 1 });
  expect(record === null ? '' : describePlace(record)).toBe('pid: -');
  for (const value of [null, 'w', {}, { name: 'w' }, { cmd: [] }]) expect(parseRecord(value)).toBeNull();
});
