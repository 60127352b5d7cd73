import { expect, test } from 'vitest';
import { durationParts } from './console.ts';

test.each([
  [0, '0s', '0s'],
  [42_900, '42s', '42s'],
  [342_000, '5m 42s', '5m42s'],
  [4_500_000, '1h 15m', '1h15m'],
  [90_000_000, '25h 0m', '25h0m'],
])('%i ms are spoken %s and written %s', (ms, spoken, written) => {
  expect(durationParts(ms).join(' ')).toBe(spoken);
  expect(durationParts(ms).join('')).toBe(written);
});
