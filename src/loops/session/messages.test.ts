import { describe, expect, test } from 'vitest';
import { checked, loopAfter, on, said, TELLING } from '../../../test/support/session/turns.ts';
import { continuationFor, contractFor } from './messages.ts';
import { SESSION_DEFAULTS } from './request.ts';

describe('what the agent reads', () => {
  const TASK = 'Do `it`: "now"\n---\n$(x)';

  test('at the start: the task, the stopping rule, how strict it is, and not to lie', () => {
    const contract = contractFor({ ...SESSION_DEFAULTS, task: TASK, promise: 'OK' }, TELLING);
    expect(contract).toContain(TASK);
    expect(contract).toContain('These are strict requirements; do not violate them.');
    expect(contract).toContain('only when the task is fully done, output exactly this promise: <promise>OK</promise>');
    expect(contract).toContain('no whitespace inside the tag, no variants');
    expect(contract).toContain('If the task is not done, do not output the promise.');
  });

  test('without the promise', () => {
    expect(continuationFor(loopAfter({ task: TASK }, said(null)), TELLING)).toBe(
      `You attempted to end the loop, but you did not output the completion promise <promise>DONE</promise>. Continue working on the original task below. Only output the promise when the task is fully complete.\n\nOriginal task: ${TASK}`,
    );
  });

  test('for a promise without work', () => {
    const told = continuationFor(loopAfter({ task: TASK }, said('DONE')), TELLING);
    expect(told).toContain(
      'Promise detected, but no tool calls/work were performed; you must actually complete the task before emitting the promise.',
    );
    expect(told).toContain(`Original task: ${TASK}`);
  });

  test('in /ulw-loop: the same, after its instruction', () => {
    const usual = continuationFor(loopAfter({}, said(null)), TELLING);
    const told = continuationFor(loopAfter({ ultrawork: true }, said(null)), TELLING);
    expect(told).toMatch(/^Ultrawork mode: /);
    expect(told.endsWith(`\n\n${usual}`)).toBe(true);
  });

  test('about a check that failed: its exit and what it printed', () => {
    const state = on(loopAfter({ checks: ['npm test'] }, said('DONE', { toolCalls: 1 })), checked(0, false));
    expect(continuationFor(state, TELLING)).toContain('Check failed (exit 1): npm test\nboom');
  });

  test('about a task that is too long for the host: where to find all of it', () => {
    const task = 'x'.repeat(100_000);
    for (const told of [
      contractFor({ ...SESSION_DEFAULTS, task }, TELLING),
      continuationFor(loopAfter({ task }, said(null)), TELLING),
    ]) {
      expect(told).toContain('100000 characters. The file /state/task.txt contains it in full, unchanged');
      expect(told.length).toBeLessThan(TELLING.longestText);
    }
  });

  test.each([
    ['characters', 'x', (text: string) => text.length],
    ['bytes', 'x', (text: string) => Buffer.byteLength(text)],
    ['bytes', '漢', (text: string) => Buffer.byteLength(text)],
    ['bytes', '🙂', (text: string) => Buffer.byteLength(text)],
  ] as const)('never more %s than the host accepts, written in %s', (unit, letter, sizeOf) => {
    const telling = { ...TELLING, unit };
    const checks = Array.from({ length: 40 }, (_, index) => `check ${index} ${letter.repeat(500)}`);
    for (const length of [10, 1900, 2100, 2900, 5900, 6100, 9000, 9500]) {
      const task = letter.repeat(length);
      const contract = contractFor({ ...SESSION_DEFAULTS, task, checks }, telling);
      expect(sizeOf(contract)).toBeLessThanOrEqual(9500);
      let state = loopAfter({ task, checks, ultrawork: true }, said('DONE', { toolCalls: 1 }));
      for (const index of checks.keys()) state = on(state, checked(index, false, letter.repeat(1500)));
      expect(state.data.failedChecks).toHaveLength(40);
      const told = continuationFor(state, telling);
      expect(sizeOf(told)).toBeLessThanOrEqual(9500);
      expect(`${contract}${told}`).not.toContain('\ufffd');
    }
  });

  test('a task that fits is given whole', () => {
    const task = '漢'.repeat(1900);
    expect(contractFor({ ...SESSION_DEFAULTS, task }, { ...TELLING, unit: 'bytes' })).toContain(task);
  });
});
