import { expect, test } from 'vitest';
import { quietUntil } from './quiet-hours.ts';

const NIGHT = { from: 22 * 60, to: 7 * 60 };
const BERLIN = 'Europe/Berlin';

const until = (hours: typeof NIGHT, at: string, zone: string): string | null => {
  const end = quietUntil(hours, Date.parse(at), zone);
  return end === null ? null : new Date(end).toISOString();
};

test.each([
  ['before', '2026-01-10T20:59:59Z', null],
  ['from its first minute on', '2026-01-10T21:00:00Z', '2026-01-11T06:00:00.000Z'],
  ['before midnight', '2026-01-10T22:30:15Z', '2026-01-11T06:00:00.000Z'],
  ['after midnight', '2026-01-11T02:00:00Z', '2026-01-11T06:00:00.000Z'],
  ['in its last minute', '2026-01-11T05:59:59Z', '2026-01-11T06:00:00.000Z'],
  ['after', '2026-01-11T06:00:00Z', null],
])('a night across midnight: %s', (_when, at, expected) => {
  expect(until(NIGHT, at, BERLIN)).toBe(expected);
});

test('the night in which clocks go forward is an hour shorter', () => {
  // 29 March 2026, 02:00 becomes 03:00 in Berlin.
  expect(until(NIGHT, '2026-03-28T21:30:00Z', BERLIN)).toBe('2026-03-29T05:00:00.000Z');
});

test('the night in which clocks go back is an hour longer', () => {
  // 25 October 2026, 03:00 becomes 02:00 in Berlin.
  expect(until(NIGHT, '2026-10-24T20:30:00Z', BERLIN)).toBe('2026-10-25T06:00:00.000Z');
});

test('an end that the clock skips is where it goes on', () => {
  const hours = { from: 60, to: 150 };
  expect(until(hours, '2026-03-29T00:30:00Z', BERLIN)).toBe('2026-03-29T01:00:00.000Z');
});

test('within one day, and in a zone with half an hour', () => {
  const noon = { from: 12 * 60, to: 13 * 60 };
  expect(until(noon, '2026-01-10T06:45:00Z', 'Asia/Kolkata')).toBe('2026-01-10T07:30:00.000Z');
  expect(until(noon, '2026-01-10T07:30:00Z', 'Asia/Kolkata')).toBeNull();
});

test('none', () => {
  expect(quietUntil(null, 0)).toBeNull();
});
