import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../core/events.ts';
import { claudeParser, claudeTextParser } from './stream.ts';

function parse(...lines: readonly (object | string)[]): readonly AgentEvent[] {
  const parser = claudeParser();
  return lines.flatMap((line) => parser.parse(typeof line === 'string' ? line : JSON.stringify(line)));
}

function assistant(...content: readonly object[]): object {
  return { type: 'assistant', message: { id: 'msg_2', role: 'assistant', content }, parent_tool_use_id: null };
}

function user(...content: readonly object[]): object {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

describe('a line of the stream', () => {
  test("the agent's words", () => {
    expect(parse(assistant({ type: 'text', text: 'I will write the file.' }))).toEqual([
      { type: 'text', text: 'I will write the file.' },
    ]);
  });

  test("a subagent's words are not the agent's own; its tools are shown", () => {
    const text = '<response>DONE</response>';
    const call = { type: 'tool_use', id: 'toolu_2', name: 'Read', input: { file_path: 'a' } };
    const line = { ...assistant({ type: 'text', text }, call), parent_tool_use_id: 'toolu_1' };
    expect(parse(line)).toEqual([
      { type: 'progress', text: `subagent: ${text}` },
      { type: 'tool-start', id: 'toolu_2', name: 'Read', input: 'a' },
    ]);
  });

  test('a tool that is called, with what it is called with', () => {
    const input = { command: 'echo hello > made.txt', description: 'Write a file' };
    expect(parse(assistant({ type: 'tool_use', id: 'toolu_1', name: 'Bash', input }))).toEqual([
      { type: 'tool-start', id: 'toolu_1', name: 'Bash', input: 'echo hello > made.txt' },
    ]);
  });

  test('several blocks of one message, in their order', () => {
    const blocks = [
      { type: 'text', text: 'One.' },
      { type: 'tool_use', id: 't', name: 'Read', input: {} },
      { type: 'text', text: 'Two.' },
    ];
    expect(parse(assistant(...blocks)).map(({ type }) => type)).toEqual(['text', 'tool-start', 'text']);
  });

  test("a tool's result, as text or in blocks, and its failure", () => {
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'hello-from-agent', is_error: false };
    expect(parse(user(result))).toEqual([
      { type: 'tool-end', id: 'toolu_1', output: 'hello-from-agent', isError: false },
    ]);
    const blocks = [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }];
    expect(parse(user({ ...result, content: blocks, is_error: true }))).toMatchObject([
      { output: 'a\n\nb', isError: true },
    ]);
  });

  test("a hook's words are not the agent's", () => {
    expect(
      parse({ ...user({ type: 'text', text: 'Stop hook feedback:\n<response>DONE</response>' }), isSynthetic: true }),
    ).toEqual([]);
  });

  test('a list of things to do', () => {
    const todos = [
      { content: 'Read', status: 'completed' },
      { subject: 'Edit', status: 'in_progress' },
      { content: 'Test', status: 'pending' },
    ];
    expect(parse(assistant({ type: 'tool_use', id: 't', name: 'TodoWrite', input: { todos } }))).toEqual([
      {
        type: 'todo',
        items: [
          { text: 'Read', status: 'completed' },
          { text: 'Edit', status: 'active' },
          { text: 'Test', status: 'pending' },
        ],
      },
    ]);
  });

  test('the closing account, whatever the order of its keys', () => {
    const usage = {
      input_tokens: 200,
      cache_creation_input_tokens: 3,
      cache_read_input_tokens: 5,
      output_tokens: 40,
      service_tier: 'standard',
    };
    const line = {
      total_cost_usd: 0.0016,
      usage,
      is_error: false,
      subtype: 'success',
      result: 'All finished.',
      type: 'result',
      duration_ms: 692,
    };
    expect(parse(assistant({ type: 'text', text: 'All finished.\n' }), line).slice(1)).toEqual([
      {
        type: 'result',
        isError: false,
        text: 'All finished.',
        costUsd: 0.0016,
        durationMs: 692,
        inputTokens: 208,
        outputTokens: 40,
        cacheReadTokens: 5,
        cacheWriteTokens: 3,
      },
    ]);
  });

  test('its words are the agent’s own where no message held them', () => {
    const line = { type: 'result', subtype: 'success', is_error: false, result: 'One.\n\nTwo.' };
    const words = { type: 'text', text: 'One.\n\nTwo.' };
    const account = { type: 'result', isError: false, text: 'One.\n\nTwo.' };
    expect(parse(line)).toEqual([words, account]);
    const one = assistant({ type: 'text', text: 'One.' });
    const two = assistant({ type: 'text', text: 'Two.' });
    expect(parse(one, line)).toEqual([{ type: 'text', text: 'One.' }, words, account]);
    expect(parse(one, two, line).slice(2)).toEqual([account]);
    const ofSubagent = { ...assistant({ type: 'text', text: 'One.\n\nTwo.' }), parent_tool_use_id: 'toolu_1' };
    expect(parse(ofSubagent, line).slice(1)).toEqual([words, account]);
    expect(parse({ ...line, is_error: true })).toMatchObject([{ type: 'result', isError: true }]);
  });

  test.each([
    ['in one', 'One. Two.', ['Well: One. Two. Three.']],
    ['cut in a word', 'One. Two.', ['Well: One. T', 'wo. Three.']],
    ['from line to line', 'One.\nTwo.', ['Well: One.', 'Two.\n']],
    [
      'in three, the first of which holds their beginning twice',
      'One.\n\nTwo.\n\nThree.',
      ['One. One.', 'Two.', 'Three.'],
    ],
  ])('its words are not told again when they were heard %s', (_, result, texts) => {
    const line = { type: 'result', subtype: 'success', is_error: false, result };
    const heard = texts.map((text) => assistant({ type: 'text', text }));
    expect(parse(...heard, line).filter(({ type }) => type === 'text')).toHaveLength(texts.length);
  });

  test('an account of an error, with nothing known but that', () => {
    const line = {
      type: 'result',
      subtype: 'error_max_turns',
      is_error: true,
      errors: ['Reached maximum number of turns (1)'],
    };
    const reason = 'it reached its own limit of turns';
    expect(parse(line)).toEqual([{ type: 'result', isError: true, text: '', reason }]);
  });

  test('an API error is one although its subtype is "success"', () => {
    expect(
      parse({ type: 'result', subtype: 'success', is_error: true, api_error_status: 401, result: 'x' }),
    ).toMatchObject([{ type: 'fault', fault: { kind: 'auth', reason: 'x' } }, { isError: true }]);
  });

  test('one that is not logged in is refused; an agent that says so is not', () => {
    const result = 'Not logged in · Please run /login';
    const line = { type: 'result', subtype: 'success', is_error: true, api_error_status: null, result };
    expect(parse({ ...line, terminal_reason: 'api_error' })).toMatchObject([
      { type: 'fault', fault: { kind: 'auth', reason: result } },
      { isError: true },
    ]);
    expect(parse({ ...line, is_error: false })).toMatchObject([{ type: 'text' }, { type: 'result', isError: false }]);
  });

  const quotaOf = (rate_limit_info: object) =>
    claudeParser().parse(JSON.stringify({ type: 'rate_limit_event', rate_limit_info }));

  test('its usage windows are told of, all of them or the one that is next to run out', () => {
    const unifiedWindows = {
      five_hour: { utilization: 0.8, resetsAt: 1_794_765_048, status: 'allowed' },
      seven_day: { utilization: 0.5, resetsAt: 1_795_366_248 },
    };
    expect(quotaOf({ status: 'allowed', unifiedWindows })).toEqual([
      {
        type: 'quota',
        windows: [
          { name: 'five_hour', used: 0.8, resetsAt: 1_794_765_048_000 },
          { name: 'seven_day', used: 0.5, resetsAt: 1_795_366_248_000 },
        ],
      },
    ]);
    const one = { status: 'allowed_warning', rateLimitType: 'seven_day_opus', utilization: 0.91 };
    const windows = [{ name: 'seven_day_opus', used: 0.91, resetsAt: null }];
    expect(quotaOf(one)).toEqual([{ type: 'quota', windows }]);
  });

  test.each([
    { status: 'allowed', isUsingOverage: false },
    { rateLimitType: 'five_hour', utilization: -1 },
    { rateLimitType: 'five_hour', utilization: 'much' },
    { rateLimitType: '\u001b[2J', utilization: 0.5 },
    { unifiedWindows: { '../x': { utilization: 0.5 }, five_hour: 'all', seven_day: null } },
  ])('what makes no sense as a window is passed over: %j', (info) => {
    expect(quotaOf(info)).toEqual([]);
  });

  test('a limit tells when it is lifted, from what was reported before', () => {
    const parser = claudeParser();
    const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1_794_730_000 } };
    expect(parser.parse(JSON.stringify(limit))).toEqual([]);
    const result = { type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: 'limit' };
    expect(parser.parse(JSON.stringify(result))[0]).toEqual({
      type: 'fault',
      fault: { kind: 'limit', reason: 'limit', resetAt: 1_794_730_000_000 },
    });
  });

  test.each([
    [{ terminal_reason: 'hook_stopped', subtype: 'success' }, 'a hook stopped it'],
    [{ subtype: 'error_during_execution', is_error: true }, 'error during execution'],
    [{ subtype: 'error_during_execution', error: 'lost the thread' }, 'lost the thread'],
  ])('a run that did not end by itself has failed, whatever else it says: %j', (fields, reason) => {
    expect(parse({ type: 'result', ...fields })).toMatchObject([{ isError: true, reason }]);
  });

  test('a refused permission and background work that was stopped are reported, and fail nothing', () => {
    const denials = [{ tool_name: 'Bash' }, { tool_name: 'Bash' }];
    expect(parse({ type: 'result', subtype: 'success', permission_denials: denials })).toMatchObject([
      { type: 'notice', text: expect.stringContaining('2 tool calls (Bash)') },
      { type: 'result', isError: false },
    ]);
    expect(parse({ type: 'system', subtype: 'task_notification', status: 'stopped', summary: 'npm test' })).toEqual([
      { type: 'notice', text: 'Background work stopped: npm test' },
    ]);
  });

  test('a session that begins is progress, a call that is repeated is shown as that', () => {
    expect(parse({ type: 'system', subtype: 'init', session_id: 's', tools: ['Bash'] })).toEqual([
      { type: 'progress', text: 'init: session s' },
    ]);
    const retry = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 3,
      error_status: 529,
      error: 'overloaded',
    };
    expect(parse(retry)).toEqual([
      { type: 'notice', text: 'API retry 1/3: 529 overloaded' },
      { type: 'fault', fault: { kind: 'infrastructure', reason: 'overloaded (HTTP 529)' }, isHopeless: false },
    ]);
  });

  test.each(['{"type":"brand_new","x":1}', 'npm warn old', '{"type":"assis', '[1]', '"text"', '7'])(
    'of an unknown form is kept as it came: %s',
    (raw) => {
      expect(parse(raw)).toEqual([{ type: 'unknown', raw }]);
    },
  );

  test('without anything in it is nothing', () => {
    expect(parse('')).toEqual([]);
    expect(parse(' \r')).toEqual([]);
  });
});

test('no line of the known types, whatever its fields hold, stops the reading', () => {
  const block = fc.record(
    {
      type: fc.constantFrom('text', 'tool_use', 'tool_result'),
      text: fc.jsonValue(),
      input: fc.jsonValue(),
      content: fc.jsonValue(),
      id: fc.jsonValue(),
      name: fc.constantFrom('Bash', 'Read', 7, null),
    },
    { requiredKeys: ['type'] },
  );
  const line = fc.record({
    type: fc.constantFrom('assistant', 'user', 'result', 'system'),
    message: fc.oneof(
      fc.jsonValue(),
      fc.record({ content: fc.oneof(fc.jsonValue(), fc.array(fc.oneof(block, fc.jsonValue()))) }),
    ),
    usage: fc.jsonValue(),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
    total_cost_usd: fc.jsonValue(),
  });
  fc.assert(
    fc.property(line, (value) => {
      for (const event of parse(value)) expect(event.type).toBeTypeOf('string');
    }),
  );
});

const NOW = Date.parse('2026-11-15T16:12:00Z');

function faultsIn(line: string): unknown {
  return claudeTextParser(() => NOW)
    .parse(line)
    .filter(({ type }) => type === 'fault');
}

test.each([
  ["You've hit your 5-hour limit · resets 5:12pm (UTC)", { kind: 'limit', resetAt: Date.parse('2026-11-15T17:12Z') }],
  ['API Error: Request rejected (429) · This request would exceed your limit.', { kind: 'limit', resetAt: null }],
  ['Not logged in · Please run /login', { kind: 'auth' }],
  ['Invalid API key · Fix external API key', { kind: 'auth' }],
  ['API Error: 500 Internal server error. This is a server-side issue, usually temporary', { kind: 'infrastructure' }],
])('what keeps it from its work is reported by: %s', (line, fault) => {
  expect(faultsIn(line)).toMatchObject([{ fault }]);
});

test.each(['Fix the parser', 'Say that an API Error: 500 is repeated', ''])('an answer is an answer: %s', (line) => {
  expect(faultsIn(line)).toEqual([]);
});
