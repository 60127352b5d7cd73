import { describe, expect, test } from 'vitest';
import type { AgentResult } from '../core/events.ts';
import type { Exit } from '../core/outcome.ts';
import { judgeRun } from './adapter.ts';
import { adapterFor } from './find.ts';

const GOOD: AgentResult = { isError: false, text: 'done' };
const BAD: AgentResult = { isError: true, text: 'overloaded' };
const ENDED: Exit = { by: 'code', code: 0 };
const FAILED: Exit = { by: 'code', code: 1 };
const KILLED: Exit = { by: 'signal', signal: 'SIGTERM' };
const LATE: Exit = { by: 'timeout', afterMs: 1000 };
const UNSEEN: Exit = { by: 'unseen' };

describe('a run has', () => {
  test.each<[Exit, AgentResult | null]>([
    [ENDED, GOOD],
    [ENDED, null],
    [UNSEEN, GOOD],
  ])('worked: %o with the account %o', (exit, account) => {
    expect(judgeRun(exit, account, false)).toEqual({ kind: 'worked' });
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
    expect(judgeRun(exit, account, false)).toMatchObject({ kind: 'failed', exit });
  });

  test('failed when its stream broke off, although it exited with 0', () => {
    expect(judgeRun(ENDED, null, true)).toMatchObject({ kind: 'failed', exit: ENDED });
  });

  test('been interrupted when nobody saw its end and it gave no account', () => {
    expect(judgeRun(UNSEEN, null, false)).toMatchObject({ kind: 'interrupted' });
  });
});

test.each([
  ['claude', 'claude'],
  ['/usr/local/bin/claude', 'claude'],
  ['claude-wrapper', 'plain'],
  ['./my-agent.sh', 'plain'],
  ['/x/scripted-agent.cjs', 'scripted'],
])('`%s` is spoken with as %s', (command, name) => {
  expect(adapterFor(command).name).toBe(name);
});
