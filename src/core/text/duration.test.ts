import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, formatGoDuration, formatGoSeconds, parseDuration, parseGoDuration } from './duration.ts';

describe('a duration is read as people write it', () => {
  test.each([
    ['500ms', 500],
    ['5s', 5000],
    ['2m', 120_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['1m0.5s', 60_500],
    ['0h1s', 1000],
    ['0.6ms', 1],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['', '5', '5 s', ' 5s', '5s ', '5S', '5d', '-5s', '+5s', '.5s', '5.s', '1e3s', 's', '5sx', '5s\n', '5,5s'])(
    '%j is no duration',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );

  test.each(['0s', '0h0m', '0.1ms'])('%s has no length, and is no duration', (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});

describe('a duration is written', () => {
  test.each([
    [0, '0s'],
    [42_000, '42s'],
    [60_000, '1m'],
    [367_000, '6m7s'],
    [3_720_000, '1h2m'],
    [3_601_000, '1h1s'],
    [90_000_000, '25h'],
    [1499, '1s'],
    [59_999, '1m'],
  ])('%i ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('so that reading it gives the same seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), (seconds) => {
        expect(parseDuration(formatDuration(seconds * 1000))).toBe(seconds * 1000);
      }),
    );
  });
});

describe('as Go programs write a duration', () => {
  test.each([
    [0, '0s'],
    [500, '500ms'],
    [1000, '1s'],
    [1500, '1.5s'],
    [60_000, '1m0s'],
    [300_000, '5m0s'],
    [3_600_000, '1h0m0s'],
    [3_661_250, '1h1m1.25s'],
  ])('%i ms is %s, and is read back', (ms, text) => {
    expect(formatGoDuration(ms)).toBe(text);
    expect(parseGoDuration(text)).toBe(ms);
  });
});

describe('a duration as Go programs write it', () => {
  test.each([
    ['0', 0],
    ['0s', 0],
    ['168h0m0s', 604_800_000],
    ['20m0s', 1_200_000],
    ['1h', 3_600_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['+1m', 60_000],
    ['1500us', 2],
    ['1500µs', 2],
    ['2000000ns', 2],
  ])('%s', (text, ms) => {
    expect(parseGoDuration(text)).toBe(ms);
  });

  test.each(['', '5', '-5s', '5 s', '5d', 's', '00', '1h5', '.s', '5s\n'])('%j is no duration', (text) => {
    expect(parseGoDuration(text)).toBeNull();
  });

  test.each([
    [0, '0s'],
    [499, '0s'],
    [1400, '1s'],
    [59_600, '1m0s'],
    [312_000, '5m12s'],
    [3_600_000, '1h0m0s'],
  ])('%d ms is shown to the second', (ms, text) => {
    expect(formatGoSeconds(ms)).toBe(text);
  });
});
