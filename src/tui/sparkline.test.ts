import { expect, test } from 'vitest';
import type { Bar } from '../views/timeline/iteration-bars.ts';
import { paletteOf } from './palette.ts';
import { sparkline } from './sparkline.ts';

const plain = paletteOf('none');
const bar = (ms: number, given: Partial<Bar> = {}): Bar => ({ ms, mark: null, since: null, ...given });

test('height is how long an iteration took', () => {
  expect(sparkline([bar(0), bar(50), bar(100)], 5, null, plain)).toBe('▁▅█  ');
});

test('the last ones are shown where there is no room for all', () => {
  expect(sparkline([bar(100), bar(0), bar(100)], 2, null, plain)).toBe('▁█');
  expect(sparkline([bar(100)], 0, null, plain)).toBe('');
});

test('one that goes on grows', () => {
  const bars = [bar(100), bar(0, { since: 1000 })];
  expect(sparkline(bars, 2, null, plain)).toBe('█▁');
  expect(sparkline(bars, 2, 1100, plain)).toBe('██');
});

test('colour is what it came to: with sixteen colours and with all', () => {
  expect(sparkline([bar(1, { mark: 'failed' })], 1, null, paletteOf('16'))).toBe('\u001b[31m█\u001b[39m');
  expect(sparkline([bar(1, { mark: 'done' })], 1, null, paletteOf('true'))).toContain('\u001b[38;2;');
});

test('without colours a mark stands where an iteration failed or waits for you', () => {
  const bars = [bar(100, { mark: 'done' }), bar(100, { mark: 'failed' }), bar(50, { mark: 'needs-you' }), bar(100)];
  expect(sparkline(bars, 5, null, plain)).toBe('█✗!█ ');
  // The outcome of an iteration that is still running is not known yet.
  expect(sparkline([bar(100, { mark: 'failed', since: 0 })], 1, 100, plain)).toBe('█');
});
