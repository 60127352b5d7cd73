import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import type { LoopState, Phase } from '../core/state.ts';
import { NO_USAGE } from '../core/usage.ts';
import { statusPath } from '../state/paths.ts';
import type { LoopStatus } from '../state/registry.ts';
import { statusWriter } from './status-writer.ts';

const CREATED_AT = 5;
const AT_MOST_EVERY_MS = 1000;
let folder: string;

beforeEach(() => {
  folder = testFolder();
});

function stateAt(iteration: number, phase: Phase = { at: 'inputs' }): LoopState<null> {
  return {
    id: 'loop-1',
    loopKind: 'run',
    cwd: '/work',
    startedAt: 0,
    continued: 0,
    consumed: null,
    told: [],
    seq: iteration,
    at: 100 + iteration,
    iteration,
    tries: {},
    phase,
    failuresInARow: 0,
    workedMs: 0,
    failures: 0,
    lastFailure: null,
    faultsInARow: 0,
    usage: NO_USAGE,
    knownInputs: null,
    data: null,
  };
}

function opened() {
  const writer = statusWriter<null>(folder, CREATED_AT);
  onTestFinished(() => writer.close());
  return writer;
}

function status(): LoopStatus {
  return JSON.parse(readFileSync(statusPath(folder), 'utf8')) as LoopStatus;
}

test('the first state is in the file at once', () => {
  opened().update(stateAt(1));
  expect(status()).toEqual({
    v: 1,
    id: 'loop-1',
    loopKind: 'run',
    cwd: '/work',
    createdAt: CREATED_AT,
    updatedAt: 101,
    iteration: 1,
    phase: 'inputs',
    ending: null,
  });
});

test('many states are at most one write a second, and the last one is written on closing', () => {
  const writer = opened();
  const seen = new Set<number>();
  const began = performance.now();
  for (let iteration = 1; iteration <= 500; iteration++) {
    writer.update(stateAt(iteration));
    seen.add(status().iteration);
  }
  const atMost = 1 + Math.floor((performance.now() - began) / AT_MOST_EVERY_MS);
  expect(seen.size).toBeLessThanOrEqual(atMost);
  writer.close();
  expect(status().iteration).toBe(500);
});

test('a state that was held back is written without a further one', async () => {
  const writer = opened();
  writer.update(stateAt(1));
  writer.update(stateAt(2));
  writer.update(stateAt(3));
  await vi.waitUntil(() => status().iteration === 3, { interval: 10, timeout: 20_000 });
  writer.update(stateAt(4));
  writer.close();
  expect(status().iteration).toBe(4);
});

test('the end of a loop is in the file when the writer is closed', () => {
  const writer = opened();
  writer.update(stateAt(1));
  writer.update(stateAt(1, { at: 'over', ending: { kind: 'done' } }));
  writer.close();
  expect(status()).toMatchObject({ phase: 'over', ending: { kind: 'done' } });
});

test('closing without a state, or twice, writes nothing', () => {
  const writer = opened();
  writer.close();
  expect(existsSync(statusPath(folder))).toBe(false);
  writer.update(stateAt(1));
  writer.close();
  writer.close();
  expect(readdirSync(folder)).toEqual(['status.json']);
});
