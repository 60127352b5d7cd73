import { expect, test } from 'vitest';
import { isoMicroseconds, isoSeconds, readable, spokenDuration, writtenDuration } from './times.ts';

const AT = new Date(2024, 0, 15, 10, 30, 0, 123).getTime();

test('times are local, and readable without their fraction', () => {
  expect(isoMicroseconds(AT)).toBe('2024-01-15T10:30:00.123000');
  expect(isoSeconds(AT)).toBe('2024-01-15T10:30:00');
  expect(readable(isoMicroseconds(AT))).toBe('2024-01-15 10:30:00');
});

test.each([
  [0, '0s', '0s'],
  [42_900, '42s', '42s'],
  [342_000, '5m 42s', '5m42s'],
  [4_500_000, '1h 15m', '1h15m'],
  [90_000_000, '25h 0m', '25h0m'],
])('%i ms are spoken %s and written %s', (ms, spoken, written) => {
  expect(spokenDuration(ms)).toBe(spoken);
  expect(writtenDuration(ms)).toBe(written);
});
