import { expect, test } from 'vitest';
import { ask, eventsOf, post, scriptedModel } from '../../../test/support/scripted-model.ts';
import type { Turn } from '../script/script.ts';
import { openaiResponses } from './openai-responses.ts';

const turn: Turn = {
  think: 'Hm.',
  say: 'I list.',
  tool: { name: 'exec_command', input: { cmd: 'ls' } },
  usage: { inputTokens: 12, outputTokens: 34, cacheReadTokens: 5, cacheWriteTokens: 6, reasoningTokens: 7 },
};

const output = [
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I list.' }] },
  { type: 'function_call', call_id: 'call_rehearsal_1_0', name: 'exec_command', arguments: '{"cmd":"ls"}' },
];

const usage = {
  input_tokens: 23,
  input_tokens_details: { cached_tokens: 5 },
  output_tokens: 34,
  output_tokens_details: { reasoning_tokens: 7 },
  total_tokens: 57,
};

test('a turn streams as the Responses API does', async () => {
  const model = await scriptedModel({ turns: [turn] });
  const events = await eventsOf(await ask(model, 'openai-responses', 'go', { stream: true }));
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
    'created',
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'completed',
  ]);
  expect(events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)).toMatchObject(
    output,
  );
  expect(events.at(-1)).toMatchObject({ response: { status: 'completed', model: 'm', output, usage } });
});

test('the whole form says the same in one piece', async () => {
  const model = await scriptedModel({ turns: [turn] });
  expect(await (await ask(model, 'openai-responses', 'go')).json()).toMatchObject({
    status: 'completed',
    output,
    usage,
  });
});

test('the last user text is the last message, or all results of the last calls', () => {
  const understand = (input: unknown) =>
    openaiResponses.understand({
      method: 'POST',
      path: '/responses',
      body: { model: 'm', instructions: 'Be good.', input, tools: [{ type: 'web_search' }] },
    });
  const context = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'the surroundings' }] };
  const prompt = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'the prompt' }] };
  const call = { type: 'function_call', call_id: 'a', name: 'exec_command', arguments: '{}' };
  const results = [
    { type: 'function_call_output', call_id: 'a', output: 'one' },
    { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'two' }] },
  ];
  const hint = { type: 'message', role: 'developer', content: 'a hint' };
  expect(understand([context, prompt])).toMatchObject({ lastUserText: 'the prompt', tools: ['web_search'] });
  expect(understand([context, prompt, call, ...results, hint])).toMatchObject({
    lastUserText: 'one\ntwo',
    text: expect.stringMatching(/^Be good\.\nthe surroundings\nthe prompt\n.*one\n.*a hint$/s),
  });
  expect(understand('just a text')).toMatchObject({ lastUserText: 'just a text' });
});

test('tools that are offered within the conversation count, but are no words of it', async () => {
  const exec = { type: 'custom', name: 'exec', description: 'Runs JavaScript.' };
  const offer = {
    type: 'additional_tools',
    role: 'developer',
    tools: [{ type: 'namespace', name: 'n', tools: [exec] }],
  };
  const prompt = { role: 'user', content: 'the prompt' };
  const request = { model: 'm', input: [offer, prompt] };
  const asked = openaiResponses.understand({ method: 'POST', path: '/responses', body: request });
  expect(asked).toMatchObject({ tools: ['exec'], lastUserText: 'the prompt', text: 'the prompt' });

  const { url } = await scriptedModel({ turns: [{ run: 'ls' }, { run: 'ls' }] });
  const input = expect.stringContaining('tools.exec_command({"cmd":"ls"');
  const call = { type: 'custom_tool_call', call_id: 'call_rehearsal_1_0', name: 'exec', input };
  expect(await (await post(`${url}/responses`, request)).json()).toMatchObject({ output: [call] });
  const events = await eventsOf(await post(`${url}/responses`, { ...request, stream: true }));
  expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
    'created',
    'output_item.added',
    'custom_tool_call_input.delta',
    'custom_tool_call_input.done',
    'output_item.done',
    'completed',
  ]);
});

test('a bad request is refused', async () => {
  const { url } = await scriptedModel({ turns: [] });
  const bad = await post(`${url}/v1/responses`, { model: 'm' });
  expect(bad.status).toBe(400);
  expect(await bad.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
});

test('a usage limit is reported as to a plan, with its reset', async () => {
  const resetAt = '2099-01-01T00:00:00Z';
  const epoch = Date.parse(resetAt) / 1000;
  const model = await scriptedModel({ turns: [], otherwise: { fault: { status: 429, resetAt } } });
  const response = await ask(model, 'openai-responses', 'go', { stream: true });
  expect(response.status).toBe(429);
  expect(response.headers.get('x-codex-primary-used-percent')).toBe('100');
  expect(response.headers.get('x-codex-primary-reset-at')).toBe(String(epoch));
  expect(await response.json()).toMatchObject({
    error: {
      type: 'usage_limit_reached',
      plan_type: 'plus',
      resets_at: epoch,
      resets_in_seconds: Number(response.headers.get('x-codex-primary-reset-after-seconds')),
    },
  });
});

test.each([
  [401, { code: 'invalid_api_key' }],
  [418, { type: 'invalid_request_error' }],
  [429, { type: 'usage_limit_reached' }],
  [500, { type: 'server_error', code: null }],
  [529, { code: 'server_is_overloaded' }],
])('status %d is reported as OpenAI does', async (status, error) => {
  const model = await scriptedModel({ turns: [{ fault: { status } }, { fault: { status, message: 'Mine.' } }] });
  const response = await ask(model, 'openai-responses', 'go');
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error });
  expect(await (await ask(model, 'openai-responses', 'go')).json()).toMatchObject({ error: { message: 'Mine.' } });
});

test('a tool in a namespace is written with a dot, and called by both names', async () => {
  const model = await scriptedModel({ turns: [{ tool: { name: 'collaboration.spawn_agent', input: {} } }] });
  const { output: called } = (await (await ask(model, 'openai-responses', 'go')).json()) as { output: unknown };
  expect(called).toMatchObject([{ type: 'function_call', namespace: 'collaboration', name: 'spawn_agent' }]);
});
