import { describe, expect, test } from 'vitest';
import type { AgentResult } from '../core/events.ts';
import type { Exit, Fault } from '../core/outcome.ts';
import { judgeRun } from './run-output-reader.ts';

const GOOD: AgentResult = { isError: false, text: 'done' };
const BAD: AgentResult = { isError: true, text: 'overloaded' };
const ENDED: Exit = { by: 'code', code: 0 };
const FAILED: Exit = { by: 'code', code: 1 };
const KILLED: Exit = { by: 'signal', signal: 'SIGTERM' };
const LATE: Exit = { by: 'timeout', afterMs: 1000 };
const UNSEEN: Exit = { by: 'unseen' };

const LIMIT: Fault = { kind: 'limit', reason: 'too much', resetAt: 5000 };

function heard(account: AgentResult | null, fault: Fault | null = null) {
  return { account, fault, brokeOff: false };
}

describe('a run has', () => {
  test.each<[Exit, AgentResult | null]>([
    [ENDED, GOOD],
    [ENDED, null],
    [UNSEEN, GOOD],
  ])('worked: %o with the account %o', (exit, account) => {
    expect(judgeRun(exit, heard(account))).toEqual({ kind: 'worked' });
  });

  test.each<[Exit, AgentResult | null]>([
    [ENDED, BAD],
    [FAILED, GOOD],
    [FAILED, BAD],
    [FAILED, null],
    [KILLED, GOOD],
    [KILLED, null],
    [LATE, GOOD],
    [LATE, null],
    [UNSEEN, BAD],
  ])('failed, whatever it said: %o with the account %o', (exit, account) => {
    expect(judgeRun(exit, heard(account))).toMatchObject({ kind: 'failed', exit });
  });

  test('failed when its stream broke off, although it exited with 0', () => {
    expect(judgeRun(ENDED, { ...heard(null), brokeOff: true })).toMatchObject({ kind: 'failed', exit: ENDED });
  });

  test('been interrupted when its end was not seen and it gave no account', () => {
    expect(judgeRun(UNSEEN, heard(null))).toMatchObject({ kind: 'interrupted' });
  });

  test.each<[Exit, AgentResult | null]>([
    [ENDED, BAD],
    [FAILED, null],
    [LATE, null],
    [UNSEEN, BAD],
  ])('met the fault that it told of, when it failed: %o with the account %o', (exit, account) => {
    expect(judgeRun(exit, heard(account, LIMIT))).toEqual(LIMIT);
  });

  test('worked when it succeeded in spite of a fault', () => {
    expect(judgeRun(ENDED, heard(GOOD, LIMIT))).toEqual({ kind: 'worked' });
  });

  test('been interrupted when it was cut off, whatever it had told of', () => {
    expect(judgeRun(UNSEEN, heard(null, LIMIT))).toMatchObject({ kind: 'interrupted' });
  });

  test("failed for the agent's own reason, where it gives one", () => {
    expect(judgeRun(FAILED, heard({ ...BAD, reason: 'out of turns' }))).toMatchObject({ reason: 'out of turns' });
  });
});
