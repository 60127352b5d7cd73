/** The stream from Amp's own announcement, and what the real binary printed when it could not start. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../core/events.ts';
import { amp } from './profile.ts';
import { ampParser, ampTextParser } from './stream.ts';

const CALL = {
  command: 'amp',
  flags: [] as string[],
  mode: 'stream',
  prompt: 'Do it.',
  help: null,
  answerFile: 'answer',
} as const;

function parse(...lines: readonly (object | string)[]): AgentEvent[] {
  const parser = ampParser();
  return lines.flatMap((line) => parser.parse(typeof line === 'string' ? line : JSON.stringify(line)));
}

describe('the command line', () => {
  test('is the seed’s, with the prompt behind -x at its end', () => {
    expect(amp.commandLine(CALL)).toEqual({
      argv: ['amp', '--stream-json', '--dangerously-allow-all', '-x', 'Do it.'],
      promptOnStdin: false,
    });
    expect(amp.commandLine({ ...CALL, mode: 'text', flags: ['-m', 'high'] }).argv).toEqual([
      'amp',
      '--dangerously-allow-all',
      '-m',
      'high',
      '-x',
      'Do it.',
    ]);
  });

  test.each([
    ['begins with a dash', '-1 is the wrong answer: fix it.'],
    ['is 200 KB long', 'x'.repeat(200_000)],
  ])('has no prompt that %s: it goes in by stdin', (_how, prompt) => {
    const { argv, promptOnStdin } = amp.commandLine({ ...CALL, prompt });
    expect([argv.at(-1), promptOnStdin]).toEqual(['-x', true]);
  });

  test.each([
    [['--stream-json-thinking'], ['--dangerously-allow-all', '--stream-json-thinking', '-x', 'Do it.']],
    [['--dangerously-allow-all'], ['--stream-json', '--dangerously-allow-all', '-x', 'Do it.']],
    [['--execute'], ['--stream-json', '--dangerously-allow-all', '--execute', 'Do it.']],
  ])('repeats no flag that the user gave: %j', (flags, expected) => {
    expect(amp.commandLine({ ...CALL, flags }).argv).toEqual(['amp', ...expected]);
  });

  test('text is plain, unless the user wants the stream', () => {
    expect(amp.parser({ ...CALL, mode: 'text' }).hasStructure).toBe(false);
    expect(amp.parser({ ...CALL, mode: 'text', flags: ['--stream-json'] }).hasStructure).toBe(true);
  });
});

const SESSION = 'T-2775dc92-90ed-4f85-8b73-8f9766029e83';
const INIT = { type: 'system', subtype: 'init', cwd: '/work', session_id: SESSION, tools: ['oracle'], mcp_servers: [] };
const PROMPT = {
  type: 'user',
  message: { role: 'user', content: [{ type: 'text', text: 'what is 2+2?' }] },
  parent_tool_use_id: null,
  session_id: SESSION,
};
const ANSWER = {
  type: 'assistant',
  message: {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: '2 + 2 equals 4.' }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: 12783,
      cache_creation_input_tokens: 367,
      cache_read_input_tokens: 12416,
      output_tokens: 8,
      max_tokens: 224000,
      service_tier: 'standard',
    },
  },
  parent_tool_use_id: null,
  session_id: SESSION,
};
const RESULT = {
  type: 'result',
  subtype: 'success',
  duration_ms: 2906,
  is_error: false,
  num_turns: 1,
  result: '2 + 2 equals 4.',
  session_id: SESSION,
};
const error = (text: string): object => ({
  type: 'result',
  subtype: 'error_during_execution',
  duration_ms: 5,
  is_error: true,
  num_turns: 1,
  error: text,
  session_id: SESSION,
});

describe('the stream', () => {
  test('of Amp’s own example: the figures are the sum of its messages', () => {
    const USED = expect.objectContaining({ type: 'usage', inputTokens: 12783, outputTokens: 8 });
    expect(parse(INIT, PROMPT, ANSWER, ANSWER, RESULT)).toEqual([
      { type: 'progress', text: 'init: session T-2775dc92-90ed-4f85-8b73-8f9766029e83' },
      USED,
      { type: 'text', text: '2 + 2 equals 4.' },
      USED,
      { type: 'text', text: '2 + 2 equals 4.' },
      {
        type: 'result',
        isError: false,
        text: '2 + 2 equals 4.',
        durationMs: 2906,
        inputTokens: 25566,
        outputTokens: 16,
        cacheReadTokens: 24832,
        cacheWriteTokens: 734,
      },
    ]);
  });

  test('figures of the account itself are the ones that count', () => {
    const usage = { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 80, cache_creation_input_tokens: 0 };
    expect(parse(ANSWER, { ...RESULT, usage }).at(-1)).toMatchObject({ inputTokens: 100, outputTokens: 50 });
  });

  test.each([
    ['Bash', { cmd: 'npm test', cwd: '/work' }, 'npm test'],
    ['create_file', { path: '/work/a.ts', content: 'x' }, '/work/a.ts'],
    ['Read', { path: '/work/a.ts' }, '/work/a.ts'],
    ['edit_file', { path: '/work/a.ts', old_str: 'a' }, '/work/a.ts'],
    ['glob', { filePattern: '**/*.ts' }, '**/*.ts'],
    ['run_command', { command: 'make' }, 'make'],
  ])('names what its tools are called with: %s %j', (name, input, expected) => {
    const message = { content: [{ type: 'tool_use', id: 't', name, input }] };
    expect(parse({ type: 'assistant', message })).toEqual([{ type: 'tool-start', id: 't', name, input: expected }]);
  });

  test('tells of refused tools by name', () => {
    expect(parse({ ...RESULT, permission_denials: ['Bash', 'Bash'] }).at(-2)).toMatchObject({
      type: 'notice',
      text: expect.stringContaining('2 tool calls (Bash)'),
    });
  });

  test('may end in an error, with its reason', () => {
    expect(parse(error('The thread was lost.'))).toEqual([
      { type: 'result', isError: true, text: '', reason: 'The thread was lost.', durationMs: 5 },
    ]);
    expect(parse(error('You are out of credits.'))).toMatchObject([
      { type: 'fault', fault: { kind: 'limit', resetAt: null } },
      { type: 'result', isError: true },
    ]);
  });
});

describe('what keeps the real binary from beginning', () => {
  test.each([
    ["Error: Invalid or missing API key. Run 'amp login' to authenticate.", 'auth'],
    ["Error: Access token expired. Run 'amp login' to refresh.", 'auth'],
    ['Error: API request for getUserInfo failed: 429', 'limit'],
    ['Error: Amp server returned an error. Try again in a moment.', 'infrastructure'],
  ])('is reported on stderr: %s', (line, kind) => {
    for (const parser of [ampParser(), ampTextParser()]) {
      expect(parser.parseStderr?.(line)).toMatchObject([
        { type: 'stderr', text: line },
        { type: 'fault', fault: { kind } },
      ]);
    }
  });

  test.each(['Error: API request for getUserInfo failed: 402', 'warning: invalid API key'])(
    'other words are only shown: %s',
    (text) => {
      expect(ampParser().parseStderr?.(text)).toEqual([{ type: 'stderr', text }]);
    },
  );

  test('without a key it waits for a login that never comes, and nothing it says thereafter is an answer', () => {
    const lines = ['No API key found. Starting login flow...', 'If your browser does not open automatically, visit:'];
    for (const parser of [ampParser(), ampTextParser()]) {
      expect(lines.flatMap((line) => parser.parse(line))).toMatchObject([
        { type: 'unknown', raw: lines[0] },
        { type: 'fault', fault: { kind: 'auth' }, isHopeless: true },
        { type: 'unknown', raw: lines[1] },
      ]);
    }
  });

  test('an answer may hold those words behind others', () => {
    const parser = ampTextParser();
    const lines = ['It prints:', 'No API key found. Starting login flow...'];
    expect(lines.flatMap((line) => parser.parse(line)).map(({ type }) => type)).toEqual(['text', 'text']);
  });
});
