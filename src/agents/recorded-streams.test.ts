import { describe, expect, test } from 'vitest';
import { heardFrom, recordedStream } from '../../test/support/recorded/streams.ts';
import { profileFor } from './index.ts';
import type { RunOutput } from './run-output-reader.ts';
import { judgeRun } from './run-output-reader.ts';

const FIRST_CLASS = ['claude', 'codex', 'gemini', 'opencode'];

function heard(agent: string, run: string): RunOutput {
  const stream = recordedStream(agent, run);
  return heardFrom(stream, stream.stdout);
}

describe.each(FIRST_CLASS)('what the real %s printed', (agent) => {
  test.each(['guardrail-1-work-1', 'guardrail-2-work-1'])('in a good run has its tag and its figures: %s', (run) => {
    const { said, account, brokeOff, fault, toolCalls } = heard(agent, run);
    expect(said.tag).toBe('DONE');
    expect(account).toMatchObject({ isError: false, text: expect.stringContaining('<response>DONE</response>') });
    expect(account?.inputTokens).toBeGreaterThan(0);
    expect(account?.outputTokens).toBeGreaterThan(0);
    expect(account?.costUsd).not.toBe(0);
    expect([brokeOff, fault, toolCalls]).toEqual([false, null, 1]);
  });

  test('tells the id of its session', () => {
    const lines = recordedStream(agent, 'guardrail-1-work-1').stdout.toString().split('\n');
    const { parse } = profileFor(agent).parser({ command: agent, flags: [], mode: 'stream' });
    const text = expect.stringMatching(/\bsession [\w-]{8,}$/);
    expect(lines.flatMap((line) => parse(line))).toContainEqual(expect.objectContaining({ type: 'progress', text }));
  });

  test('when it was asked for a commit message is that message', () => {
    expect(heard(agent, 'guardrail-2-message-1').said.firstLine).toBe('Write the right answer');
  });

  test('at a usage limit tells that, and when it is lifted', () => {
    const { fault, said } = heard(agent, 'limit-1-work-1');
    expect(fault).toMatchObject({ kind: 'limit', resetAt: expect.any(Number), reason: expect.stringMatching(/\w/) });
    expect(said.tag).toBeNull();
  });

  test('with a refused key tells that', () => {
    expect(heard(agent, 'auth-1-work-1').fault).toMatchObject({ kind: 'auth', reason: expect.stringMatching(/\w/) });
  });

  test('after an overload that passed has its tag and is good work', () => {
    const whole = heard(agent, 'overload-1-work-1');
    expect(whole.said.tag).toBe('DONE');
    expect(judgeRun({ by: 'code', code: 0 }, whole)).toEqual({ kind: 'worked' });
  });

  test.each(['cut-1-work-1', 'stall-1-work-1', 'interrupt-1-work-1'])('never passes for a good end in: %s', (run) => {
    const { said, account } = heard(agent, run);
    expect(said.tag).toBeNull();
    expect(account?.isError ?? true).toBe(true);
  });
});
