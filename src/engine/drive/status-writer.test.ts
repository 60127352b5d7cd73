import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { NO_USAGE } from '../../core/budget/usage.ts';
import { statusPath } from '../../state/paths.ts';
import type { LoopStatus } from '../../state/registry.ts';
import { statusWriter } from './status-writer.ts';

const AT_MOST_EVERY_MS = 1000;
let folder: string;

beforeEach(() => {
  folder = testFolder();
});

function statusAt(iterations: number, given: Partial<LoopStatus> = {}): () => LoopStatus {
  return () => ({
    v: 2,
    id: 'loop-1',
    loopKind: 'run',
    cwd: '/work',
    createdAt: 5,
    updatedAt: 100 + iterations,
    ending: null,
    journalBytes: 1000,
    iterations,
    phase: { at: 'inputs' },
    workedMs: 0,
    usage: NO_USAGE,
    lastFailure: null,
    lastCommit: null,
    about: { limit: 10, agent: 'agent' },
    transcript: null,
    fallback: null,
    leaving: { is: 'unsaid' },
    consumed: null,
    told: [],
    ...given,
  });
}

function opened() {
  const writer = statusWriter(folder);
  onTestFinished(() => writer.close());
  return writer;
}

function status(): LoopStatus {
  return JSON.parse(readFileSync(statusPath(folder), 'utf8')) as LoopStatus;
}

test('the first state is in the file at once', () => {
  opened().update(statusAt(1));
  expect(status()).toEqual(statusAt(1)());
});

test('many states cause at most one write a second, and the last one is written on closing', () => {
  const writer = opened();
  const seen = new Set<number>();
  const began = performance.now();
  for (let iteration = 1; iteration <= 500; iteration++) {
    writer.update(statusAt(iteration));
    seen.add(status().iterations);
  }
  const atMost = 1 + Math.floor((performance.now() - began) / AT_MOST_EVERY_MS);
  expect(seen.size).toBeLessThanOrEqual(atMost);
  writer.close();
  expect(status().iterations).toBe(500);
});

test('a state that was held back is written without another update', async () => {
  const writer = opened();
  writer.update(statusAt(1));
  writer.update(statusAt(2));
  writer.update(statusAt(3));
  await vi.waitUntil(() => status().iterations === 3, { interval: 10, timeout: 20_000 });
  writer.update(statusAt(4));
  writer.close();
  expect(status().iterations).toBe(4);
});

test('the end of a loop is in the file when the writer is closed', () => {
  const writer = opened();
  writer.update(statusAt(1));
  writer.update(statusAt(1, { ending: { kind: 'done' } }));
  writer.close();
  expect(status()).toMatchObject({ ending: { kind: 'done' } });
});

test('closing without a state, or twice, writes nothing', () => {
  const writer = opened();
  writer.close();
  expect(existsSync(statusPath(folder))).toBe(false);
  writer.update(statusAt(1));
  writer.close();
  writer.close();
  expect(readdirSync(folder)).toEqual(['status.json']);
});
