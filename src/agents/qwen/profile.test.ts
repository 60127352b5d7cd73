/** What Qwen Code 0.15.10 and 0.24.4 printed, trimmed. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../core/events.ts';
import { qwen } from './profile.ts';
import { qwenParser } from './stream.ts';

const CALL = {
  command: 'qwen',
  flags: [] as string[],
  mode: 'stream',
  prompt: '-1 is wrong',
  help: null,
  answerFile: 'answer',
} as const;
const NOW = Date.parse('2026-11-15T16:30:29Z');

function parse(...lines: readonly object[]): AgentEvent[] {
  const parser = qwenParser(() => NOW);
  const events = lines.flatMap((line) => parser.parse(JSON.stringify(line)));
  return events.filter(({ type }) => type !== 'usage');
}

function stderr(line: string): readonly AgentEvent[] | undefined {
  return qwenParser(() => NOW).parseStderr?.(line);
}

describe('the command line', () => {
  test.each(['stream', 'text'] as const)('lets it work without asking; the prompt goes in by stdin: %s', (mode) => {
    expect(qwen.commandLine({ ...CALL, mode })).toEqual({
      argv: ['qwen', '-o', 'stream-json', '-y'],
      promptOnStdin: true,
    });
  });

  test.each([
    [['--yolo'], ['-o', 'stream-json', '--yolo']],
    [
      ['--approval-mode', 'auto-edit'],
      ['-o', 'stream-json', '--approval-mode', 'auto-edit'],
    ],
    [['--output-format=stream-json'], ['-y', '--output-format=stream-json']],
  ])('repeats no flag that the user gave: %j', (flags, expected) => {
    expect(qwen.commandLine({ ...CALL, flags }).argv).toEqual(['qwen', ...expected]);
  });

  test('output that the user wants in another format is read as plain text; its waiting is heard all the same', () => {
    const parser = qwen.parser({ ...CALL, flags: ['-o', 'text'] });
    expect(parser.hasStructure).toBe(false);
    expect(parser.parseStderr?.(WAITS)).toMatchObject([{ type: 'notice' }, { type: 'fault' }]);
  });
});

const NOTHING = { input_tokens: 0, output_tokens: 0 };
const message = (content: object, usage: object = NOTHING): object => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { type: 'message', role: 'assistant', model: 'scripted', content: [content], stop_reason: null, usage },
});
const says = (text: string, usage?: object): object => message({ type: 'text', text }, usage);
const success = (result: string): object => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 4923,
  num_turns: 2,
  result,
  usage: { input_tokens: 148, output_tokens: 42, cache_read_input_tokens: 33, total_tokens: 190 },
  permission_denials: [],
});
const error = (text: string): object => ({
  type: 'result',
  subtype: 'error_during_execution',
  is_error: true,
  duration_ms: 1885,
  usage: NOTHING,
  permission_denials: [],
  error: { message: text },
});
const WAITS = '[qwen-code] Waiting for API capacity... attempt 7, retry in 82s';

describe('a good run', () => {
  test('is reported as Claude Code tells it', () => {
    const input = { command: 'echo hello > made.txt && cat made.txt', description: 'A step' };
    const call = message({ type: 'tool_use', id: 'call_1', name: 'run_shell_command', input });
    const answer = '<response>DONE</response>';
    expect(parse(says('I will write the file.'), call, says(answer), success(answer))).toEqual([
      { type: 'text', text: 'I will write the file.' },
      { type: 'tool-start', id: 'call_1', name: 'run_shell_command', input: input.command },
      { type: 'text', text: answer },
      {
        type: 'result',
        isError: false,
        text: answer,
        model: 'scripted',
        durationMs: 4923,
        inputTokens: 148,
        outputTokens: 42,
        cacheReadTokens: 33,
      },
    ]);
  });

  test('has a list of things to do, and news of its own that are passed over', () => {
    const todos = [{ id: '1', content: 'Read', status: 'in_progress' }];
    expect(parse(message({ type: 'tool_use', id: 't', name: 'todo_write', input: { todos } }))).toEqual([
      { type: 'todo', items: [{ text: 'Read', status: 'active' }] },
    ]);
    expect(parse({ type: 'stream_event', event: { type: 'goal_state' } })).toMatchObject([{ type: 'progress' }]);
  });

  test('may quote an error: a call that was answered tells what it took', () => {
    const words = 'The log says: [API Error: 401 Incorrect API key]';
    expect(parse(says(words, { input_tokens: 100, output_tokens: 20 }), success(words))).toMatchObject([
      { type: 'text', text: words },
      { type: 'result', isError: false },
    ]);
  });
});

describe('a failure', () => {
  test.each([
    ['401 Incorrect API key provided: dummy.', 'auth'],
    ['403 You do not have access to this resource.', 'auth'],
    ['500 The server had an error while processing your request. Sorry about that!', 'infrastructure'],
    ['terminated (cause: other side closed)', 'infrastructure'],
    ['Connection error. (cause: fetch failed)', 'infrastructure'],
  ])('is one although 0.15.10 calls it a success in the words of the model: %s', (reason, kind) => {
    const words = `[API Error: ${reason}]`;
    const failed = [
      { type: 'fault', fault: { kind, reason } },
      { type: 'result', isError: true, reason },
    ];
    expect(parse(says(words), success(words))).toMatchObject(failed);
    // 0.24.4 reports this itself.
    expect(parse(says(words), error(words))).toMatchObject(failed);
    expect(parse(error(words))).toMatchObject(failed);
  });

  test('leaves the words before it to the model', () => {
    const words = 'I will write [the file][API Error: terminated]';
    expect(parse(says(words), success(words))).toMatchObject([
      { type: 'text', text: 'I will write [the file]' },
      { type: 'fault' },
      { type: 'result', isError: true, reason: 'terminated' },
    ]);
  });

  test('at a usage limit tells when it is lifted, whatever advice follows', () => {
    const words =
      '[API Error: 429 Rate limit reached for scripted. Please try again in 3600s.]\nPossible quota limitations in place.';
    expect(parse(says(words), success(words))[0]).toMatchObject({
      fault: { kind: 'limit', resetAt: NOW + 3_600_000 },
    });
  });

  test('that it works on after is none', () => {
    const call = message({ type: 'tool_use', id: 'call_1', name: 'glob', input: { pattern: '*' } });
    const events = parse(says('[API Error: terminated]'), call, success('Done.'));
    expect(events).toMatchObject([
      { type: 'tool-start', input: '*' },
      { type: 'text', text: 'Done.' },
      { type: 'result', isError: false },
    ]);
  });

  test('to find an account is one of authentication', () => {
    expect(parse(error('No auth type is selected. Please configure an auth type.'))).toMatchObject([
      { type: 'fault', fault: { kind: 'auth' } },
      { type: 'result', isError: true, reason: 'No auth type is selected. Please configure an auth type.' },
    ]);
  });
});

describe('stderr', () => {
  test('tells that it waits: a while is left to it', () => {
    expect(stderr('[qwen-code] Waiting for API capacity... attempt 6, retry in 18s')).toMatchObject([
      { type: 'notice', text: 'API retry 6 in 18 s: it waits for capacity' },
      { type: 'fault', fault: { kind: 'limit', resetAt: null }, isHopeless: false },
    ]);
    expect(stderr(WAITS)).toMatchObject([{}, { fault: { resetAt: null }, isHopeless: true }]);
  });

  test('a wait that the service asked for tells when the limit is lifted', () => {
    expect(stderr('[qwen-code] Waiting for API capacity... attempt 1, retry in 3570s')?.[1]).toMatchObject({
      fault: { kind: 'limit', resetAt: NOW + 3_570_000 },
      isHopeless: true,
    });
  });

  test('its banners say nothing; the rest is shown', () => {
    expect(stderr('Warning: running headless with --yolo / approval-mode=yolo and no sandbox.')).toEqual([]);
    expect(stderr('Ripgrep not available: spawn rg EACCES. Falling back to built-in grep.')).toEqual([]);
    expect(stderr('Operation cancelled.')).toEqual([{ type: 'stderr', text: 'Operation cancelled.' }]);
  });
});
