import { describe, expect, test } from 'vitest';
import type { Ending } from '../core/ending.ts';
import { EMPTY_REPLIES } from '../loops/stories/state.ts';
import { exitCodeOf, inTerminal } from './terminal.ts';

const NEVER = new AbortController().signal;

describe('the exit code of a loop', () => {
  const limit: Ending = { kind: 'iteration-limit', limit: 3 };
  const auth: Ending = { kind: 'auth', reason: 'r' };
  test.each<[kind: string, ending: Ending, code: number]>([
    ['run', { kind: 'done' }, 0],
    ['run', limit, 1],
    ['run', auth, 4],
    ['run', { kind: 'unpublished', reason: 'r' }, 11],
    ['run', { kind: 'stopped' }, 130],
    // As seed 000 says.
    ['swarm', limit, 0],
    ['swarm', auth, 1],
    // As seed 002 says.
    ['task', { kind: 'waiting', reason: 'r' }, 0],
    ['job', { kind: 'waiting', reason: 'r' }, 42],
    ['job', { kind: 'kept-failing', failures: 1 }, 1],
    ['task', auth, 4],
    // As seed 003 says.
    ['stories', { kind: 'infrastructure', reason: EMPTY_REPLIES }, 1],
    ['stories', { kind: 'infrastructure', reason: 'another' }, 3],
  ])('%s, %j: %d', (kind, ending, code) => {
    expect(exitCodeOf({ kind: 'ended', ending }, kind)).toBe(code);
  });

  test.each(['run', 'swarm', 'stories', 'task', 'job'])('%s, interrupted: 130', (kind) => {
    expect(exitCodeOf({ kind: 'stopped' }, kind)).toBe(130);
  });
});

test('signals and the status line are released on every way out, and without an ending there are no closing lines', async () => {
  const seen: string[] = [];
  const console = {
    show: () => undefined,
    tell: () => undefined,
    ready: () => null,
    close: () => void seen.push('closing lines'),
    live: {
      follow: () => () => undefined,
      above: (_sink: unknown, text: string) => text,
      close: ({ code }: { code: number }) => void seen.push(`status gone, exit code ${code}`),
    },
    words: { limit: () => 1 },
  };
  const signals = { stop: NEVER, stopAtWait: NEVER, cancel: NEVER, release: () => void seen.push('released') };
  const failing = inTerminal('run', console, signals, () => Promise.reject(new Error('x')));
  await expect(failing).rejects.toThrow('x');
  expect(seen).toEqual(['status gone, exit code 70', 'released']);
});
