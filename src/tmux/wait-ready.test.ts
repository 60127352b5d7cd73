import { expect, test } from 'vitest';
import { isReady, waitUntilReady } from './wait-ready.ts';

test.each([
  '  ⏵⏵ bypass permissions on (shift+tab to cycle)',
  'permission mode: plan',
  ' ✻ Claude Code v2.1.3',
  '❯',
  '│ ❯ Try "fix the bug"',
  '>',
  '> hello',
  '$',
  '$ ls',
  '>>>',
  'opencode v1.18',
  'tab switch agent',
  'ctrl+p commands',
])('%j is ready', (line) => {
  expect(isReady(`first\n${line}\n\n`)).toBe(true);
});

test.each(['', 'starting…', 'a > b', 'costs $5', '>x', 'Select login method'])('%j is not', (line) => {
  expect(isReady(line)).toBe(false);
});

const wait = { every: 1, timeout: 10_000 };

test('it comes back with the screen that is ready', async () => {
  const screens = ['', 'starting', '> '];
  const screen = (): Promise<string> => Promise.resolve(screens.shift() ?? '');
  expect(await waitUntilReady({ ...wait, screen, isAlive: () => true })).toBe('ready');
  expect(screens).toEqual([]);
});

test('it comes back when the agent is gone, or time is up', async () => {
  let looks = 0;
  const screen = (): Promise<string> => Promise.resolve('');
  expect(await waitUntilReady({ ...wait, screen, isAlive: () => looks++ < 3 })).toBe('gone');
  expect(await waitUntilReady({ screen, isAlive: () => true, every: 1, timeout: 5 })).toBe('timeout');
});
