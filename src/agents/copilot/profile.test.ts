/** What Copilot CLI 1.0.102 printed, trimmed. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../core/events.ts';
import { copilot } from './profile.ts';
import { copilotParser } from './stream.ts';

const CALL = {
  command: 'copilot',
  flags: [] as string[],
  mode: 'stream',
  prompt: '-1 is wrong',
  help: null,
  answerFile: 'answer',
} as const;
const NOW = Date.parse('2026-11-15T16:20:07Z');

function parse(...lines: readonly (object | string)[]): AgentEvent[] {
  const parser = copilotParser(() => NOW);
  return lines.flatMap((line) => parser.parse(typeof line === 'string' ? line : JSON.stringify(line)));
}

describe('the command line', () => {
  test.each(['stream', 'text'] as const)('lets it work without asking; the prompt goes in by stdin: %s', (mode) => {
    expect(copilot.commandLine({ ...CALL, mode })).toEqual({
      argv: ['copilot', '--output-format', 'json', '--allow-all', '--no-ask-user'],
      promptOnStdin: true,
    });
  });

  test.each([[['--yolo']], [['--allow-all-tools']], [['--allow-tool', 'shell(git:*)']], [['--allow-tool=write']]])(
    'adds no permission to those that the user gave: %j',
    (flags) => {
      expect(copilot.commandLine({ ...CALL, flags }).argv).toEqual([
        'copilot',
        '--output-format',
        'json',
        '--no-ask-user',
        ...flags,
      ]);
    },
  );

  test('output that the user wants in another format is read as plain text', () => {
    const hasStructure = (...flags: string[]): boolean => copilot.parser({ ...CALL, flags }).hasStructure;
    expect([hasStructure(), hasStructure('--output-format=json')]).toEqual([true, true]);
    expect(hasStructure('--output-format', 'text')).toBe(false);
  });
});

const WORDS = {
  type: 'assistant.message',
  data: {
    messageId: 'ac877e00',
    model: 'scripted',
    content: 'All finished.\n<response>DONE</response>',
    toolRequests: [],
    turnId: '1',
  },
};
const RESULT = {
  type: 'result',
  timestamp: '2026-11-15T16:19:52.029Z',
  sessionId: 'd7ffa13f',
  exitCode: 0,
  usage: { premiumRequests: 0, totalApiDurationMs: 73, sessionDurationMs: 715, codeChanges: {} },
};

describe('a good run', () => {
  test('is reported in whole words: the pieces of them are passed over', () => {
    const piece = (deltaContent: string): object => ({
      type: 'assistant.message_delta',
      data: { messageId: 'ac877e00', deltaContent },
      ephemeral: true,
    });
    const events = parse(piece('All finished.\n<respo'), piece('nse>DONE</response>'), WORDS);
    expect(events.map(({ type }) => type)).toEqual(['progress', 'progress', 'text']);
    expect(events[2]).toEqual({ type: 'text', text: 'All finished.\n<response>DONE</response>' });
  });

  test('has its tools, and their results without its own remark', () => {
    const start = {
      type: 'tool.execution_start',
      data: {
        toolCallId: 'call_1',
        toolName: 'bash',
        arguments: { command: 'echo oops >&2; exit 3', description: 'A step' },
        toolTitle: 'Running command',
      },
    };
    const end = {
      type: 'tool.execution_complete',
      data: {
        toolCallId: 'call_1',
        shellExecution: { exitCode: 3 },
        success: true,
        result: { content: 'oops\n<shellId: 0 completed with exit code 3>' },
      },
    };
    const failed = {
      type: 'tool.execution_complete',
      data: { toolCallId: 'call_2', success: false, error: { message: 'no such file' } },
    };
    expect(parse(start, end, failed)).toEqual([
      { type: 'tool-start', id: 'call_1', name: 'bash', input: 'echo oops >&2; exit 3' },
      { type: 'tool-end', id: 'call_1', output: 'oops', isError: true },
      { type: 'tool-end', id: 'call_2', output: 'no such file', isError: true },
    ]);
  });

  test('ends with its last words and the figures that are known', () => {
    expect(parse(WORDS, RESULT).at(-1)).toEqual({
      type: 'result',
      isError: false,
      text: 'All finished.\n<response>DONE</response>',
      durationMs: 715,
    });
    // With a GitHub account, messages report their tokens.
    const told = { ...WORDS, data: { ...WORDS.data, outputTokens: 34 } };
    expect(parse(told, told, RESULT).at(-1)).toMatchObject({ outputTokens: 68 });
  });

  test('tells the id of its session at the end', () => {
    expect(parse(RESULT)[0]).toEqual({ type: 'progress', text: 'result: session d7ffa13f', session: 'd7ffa13f' });
  });

  test("a sub-agent's words are not the agent's", () => {
    expect(parse({ ...WORDS, agentId: 'a1' })).toEqual([{ type: 'progress', text: 'assistant.message' }]);
    const inside = { ...WORDS, data: { ...WORDS.data, parentToolCallId: 'call_1' } };
    expect(parse(inside, RESULT).at(-1)).toMatchObject({ text: '' });
  });
});

const failedCall = (data: object): object => ({
  type: 'model.call_failure',
  data: { model: 'scripted', retryAttempt: 0, failureKind: 'api', source: 'top_level', ...data },
});
const failedSession = (data: object): object => ({ type: 'session.error', data });
const FAILED = { ...RESULT, exitCode: 1 };

describe('a failure', () => {
  test('at a usage limit tells when it is lifted', () => {
    const message = 'Rate limit reached for scripted. Please try again in 3600s.';
    const call = failedCall({ statusCode: 429, errorMessage: JSON.stringify({ message, type: 'requests' }) });
    const session = failedSession({ errorType: 'rate_limit', message: `429 ${message}`, statusCode: 429 });
    const resetAt = NOW + 3_600_000;
    expect(parse(call, session, FAILED)).toEqual([
      { type: 'notice', text: `API call 1 failed: HTTP 429 ${message}` },
      { type: 'fault', fault: { kind: 'limit', reason: message, resetAt } },
      { type: 'fault', fault: { kind: 'limit', reason: `429 ${message}`, resetAt } },
      { type: 'progress', text: 'result: session d7ffa13f', session: 'd7ffa13f' },
      { type: 'result', isError: true, text: '', reason: `429 ${message}`, durationMs: 715 },
    ]);
  });

  test.each([
    [{ errorType: 'authentication', message: 'Authentication failed (HTTP 401).', statusCode: 401 }, 'auth'],
    [{ errorType: 'quota', message: 'You have no quota left.', statusCode: 402 }, 'limit'],
    [{ errorType: 'query', message: 'Failed to get response; retried 5 times.', statusCode: 500 }, 'infrastructure'],
  ])('of the session is that fault: %j', (data, kind) => {
    expect(parse(failedSession(data))).toMatchObject([{ type: 'fault', fault: { kind, reason: data.message } }]);
  });

  test('without a status is what the last call met', () => {
    const errorMessage = '"Failed native model HTTP request: error decoding response body"';
    const message = 'Failed to get response from the AI model; retried 5 times';
    const call = failedCall({ failureKind: 'transport', retryAttempt: 5, errorMessage });
    const [notice, ...faults] = parse(call, failedSession({ errorType: 'query', message }));
    expect(notice).toMatchObject({
      text: 'API call 6 failed: Failed native model HTTP request: error decoding response body',
    });
    const reason = 'Failed native model HTTP request: error decoding response body';
    expect(faults).toEqual(
      Array.from({ length: 2 }, () => ({ type: 'fault', fault: { kind: 'infrastructure', reason } })),
    );
    expect(parse(call, WORDS, failedSession({ errorType: 'query', message })).at(-1)).toMatchObject({ type: 'text' });
  });

  test('that is not the agent’s fault is reported in the account', () => {
    const session = failedSession({ errorType: 'context_limit', message: 'Too long.', statusCode: 400 });
    expect(parse(session, FAILED).at(-1)).toMatchObject({ type: 'result', isError: true, reason: 'Too long.' });
  });

  test('to log in is reported on stderr', () => {
    const stderr = copilotParser().parseStderr?.('Error: No authentication information found.');
    const fault = { kind: 'auth', reason: 'No authentication information found.' };
    expect(stderr).toMatchObject([{ type: 'stderr' }, { type: 'fault', fault }]);
    expect(copilotParser().parseStderr?.('warning')).toEqual([{ type: 'stderr', text: 'warning' }]);
  });

  test('is also to be aborted, although it says 0', () => {
    expect(parse({ type: 'abort', data: { reason: 'user_abort' } }, RESULT).at(-1)).toMatchObject({
      type: 'result',
      isError: true,
      reason: 'it was aborted (user_abort)',
    });
  });
});

test.each(['{"type":"brand.new","x":1}', 'npm warn old', '{"type":"assis', '{"type":7}'])(
  'an unknown line is kept as it came: %s',
  (raw) => {
    expect(parse(raw)).toEqual([{ type: 'unknown', raw }]);
  },
);
