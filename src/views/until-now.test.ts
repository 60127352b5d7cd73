import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readableLoop } from '../../test/support/loops/stored-loop.ts';
import { timelineIn } from '../../test/support/loops/timeline.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { readJournal } from '../state/journal.ts';
import { untilNow } from './until-now.ts';

const JOURNAL = join(import.meta.dirname, '../../test/fixtures/journals/v4/run-rejected.jsonl');
const { records } = readJournal(JOURNAL);
const begun = records.findLastIndex(({ result }) => result.kind === 'started');
const running = timelineIn(records.slice(0, begun + 1));

const later = (phase: ReadableLoop['phase'], given: Partial<ReadableLoop> = {}) => {
  const { iterations, totals } = untilNow(running, readableLoop({ phase, ...given }), running.at + 90_000);
  return { last: iterations.at(-1), first: iterations[0], totals };
};
const AT_WORK = { at: 'await', purpose: 'work', handle: { runner: 'direct', name: 'x' } } as const;

test('the running iteration, and with it the loop, has taken as long as it has until now', () => {
  const [first, last] = running.iterations;
  const shown = later(AT_WORK);
  expect(shown.last?.workedMs).toBe((last?.workedMs ?? 0) + 90_000);
  expect(shown.last?.agentMs).toBe((last?.agentMs ?? 0) + 90_000);
  expect(shown.totals.workedMs).toBe(running.totals.workedMs + 90_000);
  expect(shown.first).toEqual(first);
});

test.each<[ReadableLoop['phase'], 'checksMs' | 'waitedMs']>([
  [{ at: 'check', index: 0 }, 'checksMs'],
  [{ at: 'wait', until: 9, then: 'same-iteration' }, 'waitedMs'],
])('it is the time of what the loop is at: %j', (phase, span) => {
  expect(later(phase).last?.[span]).toBe((running.iterations.at(-1)?.[span] ?? 0) + 90_000);
});

test.each<[string, ReadableLoop['phase'], Partial<ReadableLoop>]>([
  ['has no supervisor', AT_WORK, { supervisor: null }],
  ['is paused', { at: 'wait', until: 'command', then: 'same-iteration' }, {}],
  ['is over', AT_WORK, { ending: { kind: 'done' } }],
])('no time passes for a loop that %s', (_, phase, given) => {
  expect(untilNow(running, readableLoop({ phase, ...given }), running.at + 90_000)).toBe(running);
});

test('nor for an iteration that is over', () => {
  const over = timelineIn(records);
  expect(untilNow(over, readableLoop({ phase: AT_WORK }), over.at + 90_000)).toBe(over);
});
