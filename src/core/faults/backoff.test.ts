import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

test('the pause doubles from one second and stays at five minutes', () => {
  const seconds = Array.from({ length: 12 }, (_, index) => backoff(index + 1) / 1000);
  expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
});

test('very many failures still give five minutes', () => {
  expect(backoff(5000)).toBe(300_000);
});

test('the unit can be shorter, even zero', () => {
  expect(backoff(3, 10)).toBe(40);
  expect(backoff(3, 0)).toBe(0);
});
