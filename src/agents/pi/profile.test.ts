/** What pi 0.74.2 and 0.87.1 printed, trimmed. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../core/events.ts';
import { pi } from './profile.ts';
import { piParser } from './stream.ts';

const CALL = {
  command: 'pi',
  flags: [] as string[],
  mode: 'stream',
  prompt: '-1 is wrong',
  help: null,
  answerFile: 'answer',
} as const;
const NOW = Date.parse('2026-11-15T16:30:29Z');

/** Includes the events that the parser emits at the end. */
function parse(...lines: readonly (object | string)[]): AgentEvent[] {
  const parser = piParser(() => NOW);
  const all = lines.flatMap((line) => parser.parse(typeof line === 'string' ? line : JSON.stringify(line)));
  const events = all.filter(({ type }) => type !== 'usage');
  return [...events, ...(parser.end?.() ?? [])];
}

describe('the command line', () => {
  test.each(['stream', 'text'] as const)('asks for events; the prompt goes in by stdin: %s', (mode) => {
    expect(pi.commandLine({ ...CALL, mode })).toEqual({ argv: ['pi', '-p', '--mode', 'json'], promptOnStdin: true });
  });

  test('repeats no flag that the user gave', () => {
    const flags = ['--print', '--model', 'sonnet:high', '--mode=json'];
    expect(pi.commandLine({ ...CALL, flags }).argv).toEqual(['pi', ...flags]);
  });

  test('output that the user wants in another format is read as plain text', () => {
    expect(pi.parser({ ...CALL, flags: ['--mode', 'text'] }).hasStructure).toBe(false);
    expect(pi.parser(CALL).hasStructure).toBe(true);
  });
});

const usage = (input: number, output: number, total = 0): object => ({
  input,
  output,
  cacheRead: 33,
  cacheWrite: 4,
  totalTokens: input + output,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total },
});
const says = (text: string, more: object = {}): object => ({
  type: 'message_end',
  message: { role: 'assistant', content: [{ type: 'text', text }], usage: usage(11, 22), stopReason: 'stop', ...more },
});
const fails = (errorMessage: string, text = ''): object =>
  says(text, {
    stopReason: 'error',
    usage: usage(0, 0),
    errorMessage,
    content: text === '' ? [] : [{ type: 'text', text }],
  });
const END = { type: 'agent_end', messages: [] };
const DONE = 'All finished.\n<response>DONE</response>';

describe('a good run', () => {
  test('is reported in whole words: the pieces, each with all of the answer so far, are not even parsed', () => {
    const update = {
      type: 'message_update',
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'All finished.\n<respo' },
      message: { role: 'assistant', content: [{ type: 'text', text: 'All finished.\n<respo' }] },
    };
    expect(parse(update, '{"type":"message_update" and no JSON', says(DONE))).toEqual([{ type: 'text', text: DONE }]);
  });

  test('tells the id of its session', () => {
    expect(parse({ type: 'session', id: '01a1ddf0' })).toEqual([{ type: 'progress', text: 'session 01a1ddf0' }]);
  });

  test.each(['user', 'system', 'toolResult', 'custom'])('has no words but the agent’s: not those of %s', (role) => {
    expect(parse({ type: 'message_end', message: { role, content: [{ type: 'text', text: DONE }] } })).toEqual([]);
  });

  test('has its tools and their results', () => {
    const start = {
      type: 'tool_execution_start',
      toolCallId: 'call_1',
      toolName: 'bash',
      args: { command: 'echo oops >&2; exit 3' },
    };
    const end = {
      type: 'tool_execution_end',
      toolCallId: 'call_1',
      toolName: 'bash',
      result: { content: [{ type: 'text', text: 'oops\n\n\nCommand exited with code 3' }], details: {} },
      isError: true,
    };
    expect(parse(start, end)).toEqual([
      { type: 'tool-start', id: 'call_1', name: 'bash', input: 'echo oops >&2; exit 3' },
      { type: 'tool-end', id: 'call_1', output: 'oops\n\n\nCommand exited with code 3', isError: true },
    ]);
  });

  test('ends with its last words and the sum of what its calls took; a price of 0 is unknown', () => {
    const account = { type: 'result', isError: false, text: DONE, inputTokens: 22 + 66 + 8, outputTokens: 44 };
    const cached = { cacheReadTokens: 66, cacheWriteTokens: 8 };
    expect(parse(says('One.'), says(DONE), END, { type: 'agent_settled' }).slice(2)).toEqual([
      { ...account, ...cached },
      { type: 'progress', text: 'agent_settled' },
    ]);
    const priced = says(DONE, { usage: usage(11, 22, 0.25) });
    expect(parse(priced, priced, END).at(-1)).toMatchObject({ costUsd: 0.5 });
  });
});

describe('a failure, with which it exits with 0', () => {
  test.each([
    ['401 Incorrect API key provided: dummy.', 'auth', '401 Incorrect API key provided: dummy.'],
    [
      '401: {"message":"Incorrect API key provided: dummy.","code":"invalid_api_key"}',
      'auth',
      'Incorrect API key provided: dummy.',
    ],
    [
      '500 The server had an error. Sorry about that!',
      'infrastructure',
      '500 The server had an error. Sorry about that!',
    ],
    ['terminated', 'infrastructure', 'terminated'],
    ['Connection error.', 'infrastructure', 'Connection error.'],
  ])('is a fault and an account of it: %s', (message, kind, reason) => {
    expect(parse(fails(message), END)).toMatchObject([
      { type: 'fault', fault: { kind, reason } },
      { type: 'result', isError: true, reason },
    ]);
  });

  test('at a usage limit tells when it is lifted', () => {
    const message = 'Rate limit reached for scripted. Please try again in 3600s.';
    const [fault] = parse(fails(`429: ${JSON.stringify({ message, code: 'rate_limit_exceeded' })}`), END);
    expect(fault).toEqual({ type: 'fault', fault: { kind: 'limit', reason: message, resetAt: NOW + 3_600_000 } });
  });

  test('that is not the agent’s fault is reported in the account', () => {
    expect(parse(fails('400 No such model.'), END)).toMatchObject([
      { type: 'result', isError: true, reason: '400 No such model.' },
    ]);
    expect(parse(says('Half', { stopReason: 'aborted' }), END)).toMatchObject([{ type: 'result', isError: true }]);
  });

  test('is no account when the run is repeated; what was said before it is taken back', () => {
    const retry = { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: 'terminated' };
    const events = parse(
      fails('terminated', DONE),
      END,
      retry,
      says('Now.'),
      { type: 'auto_retry_end', success: true },
      END,
    );
    expect(events).toMatchObject([
      { type: 'notice', text: 'API retry 1/3 in 2.0 s: terminated' },
      { type: 'fault', fault: { kind: 'infrastructure' } },
      { type: 'text', text: 'Now.' },
      { type: 'progress' },
      { type: 'result', isError: false, text: 'Now.' },
    ]);
  });

  test('to find a key is reported on stderr', () => {
    const stderr = piParser().parseStderr?.('No API key found for the selected model.');
    expect(stderr).toMatchObject([{ type: 'stderr' }, { type: 'fault', fault: { kind: 'auth' } }]);
    expect(piParser().parseStderr?.('Use /login')).toEqual([{ type: 'stderr', text: 'Use /login' }]);
  });

  test('to make room is only told', () => {
    expect(parse({ type: 'compaction_end', reason: 'overflow', errorMessage: 'no summary' })).toEqual([
      { type: 'notice', text: 'Compaction failed: no summary' },
    ]);
    expect(parse({ type: 'compaction_end', reason: 'overflow' })).toMatchObject([{ type: 'progress' }]);
  });
});

test.each(['{"type":"brand_new","x":1}', 'npm warn old', '{"type":"messag', '{"type":7}'])(
  'an unknown line is kept as it came: %s',
  (raw) => {
    expect(parse(raw)).toEqual([{ type: 'unknown', raw }]);
  },
);
