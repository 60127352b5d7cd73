import { expect, test } from 'vitest';
import { ask, eventsOf, post, scriptedModel } from '../../../test/support/scripted-model.ts';
import type { Turn } from '../script/script.ts';
import { openaiChat } from './openai-chat.ts';

const turn: Turn = {
  think: 'Hm.',
  say: 'I list.',
  tools: [
    { name: 'bash', input: { command: 'ls' } },
    { name: 'read', input: { path: 'a' } },
  ],
  usage: { inputTokens: 12, outputTokens: 34, cacheReadTokens: 5, cacheWriteTokens: 6, reasoningTokens: 7 },
};

const calls = [
  { id: 'call_rehearsal_1_0', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } },
  { id: 'call_rehearsal_1_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
];

const usage = {
  prompt_tokens: 23,
  completion_tokens: 34,
  total_tokens: 57,
  prompt_tokens_details: { cached_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 7 },
};

test('a turn streams as chat completions do, and ends with [DONE]', async () => {
  const model = await scriptedModel({ turns: [turn, turn] });
  const events = await eventsOf(await ask(model, 'openai-chat', 'go', { stream: true }));
  expect(events.every(({ object }) => object === 'chat.completion.chunk')).toBe(true);
  expect(events.slice(0, -1).map(({ choices: [{ delta }] }) => delta)).toEqual([
    { role: 'assistant', content: '' },
    { reasoning_content: 'Hm.' },
    { content: 'I list.' },
    { tool_calls: [{ index: 0, ...calls[0] }] },
    { tool_calls: [{ index: 1, ...calls[1] }] },
    {},
  ]);
  expect(events.at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
  expect(events.at(-1)).toMatchObject({ choices: [], usage });
  const text = await (await ask(model, 'openai-chat', 'go', { stream: true })).text();
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test('the whole form says the same in one piece', async () => {
  const model = await scriptedModel({ turns: [turn, { say: '' }] });
  expect(await (await ask(model, 'openai-chat', 'go')).json()).toMatchObject({
    object: 'chat.completion',
    choices: [
      {
        message: { role: 'assistant', content: 'I list.', reasoning_content: 'Hm.', tool_calls: calls },
        finish_reason: 'tool_calls',
      },
    ],
    usage,
  });
  expect(await (await ask(model, 'openai-chat', 'go')).json()).toMatchObject({
    choices: [{ message: { content: null }, finish_reason: 'stop' }],
  });
});

test('the last user text is the last message, or all results of the last calls', () => {
  const understand = (...messages: object[]) =>
    openaiChat.understand({ method: 'POST', path: '/chat/completions', body: { model: 'm', messages } });
  const system = { role: 'system', content: 'Be good.' };
  const prompt = { role: 'user', content: [{ type: 'text', text: 'the prompt' }] };
  const call = { role: 'assistant', tool_calls: [] };
  const results = ['one', 'two'].map((content) => ({ role: 'tool', content }));
  expect(understand(system, prompt)).toMatchObject({ lastUserText: 'the prompt', tools: [], stream: false });
  expect(understand(system, prompt, call, ...results)).toMatchObject({
    lastUserText: 'one\ntwo',
    text: 'Be good.\nthe prompt\none\ntwo',
  });
});

test('a bad request is refused', async () => {
  const { url } = await scriptedModel({ turns: [] });
  expect((await post(`${url}/v1/chat/completions`, { model: 'm' })).status).toBe(400);
});

test('a rate limit says when to come back, a used-up quota does not', async () => {
  const model = await scriptedModel({
    turns: [{ fault: { status: 429, resetInSeconds: 3600 } }, { fault: { status: 429 } }],
  });
  const limited = await ask(model, 'openai-chat', 'go', { stream: true });
  expect(limited.status).toBe(429);
  expect(limited.headers.get('retry-after')).toBe('3600');
  expect(await limited.json()).toMatchObject({
    error: { code: 'rate_limit_exceeded', message: expect.stringContaining('3600s') },
  });
  const spent = await ask(model, 'openai-chat', 'go', { stream: true });
  expect(spent.status).toBe(429);
  expect(spent.headers.get('retry-after')).toBeNull();
  expect(await spent.json()).toMatchObject({ error: { code: 'insufficient_quota' } });
});

test.each([
  [401, { code: 'invalid_api_key' }],
  [500, { type: 'server_error' }],
  [529, { code: 'server_is_overloaded' }],
])('status %d is reported as OpenAI does', async (status, error) => {
  const model = await scriptedModel({ turns: [{ fault: { status } }] });
  const response = await ask(model, 'openai-chat', 'go');
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error });
});
