import { expect, test } from 'vitest';
import { ask, eventsOf, post, scriptedModel } from '../../../test/support/scripted-model.ts';
import type { Turn } from '../script/script.ts';
import { anthropic } from './anthropic.ts';

const turn: Turn = {
  think: 'Hm.',
  say: 'I list.',
  tools: [
    { name: 'Bash', input: { command: 'ls' } },
    { name: 'Read', input: { file_path: 'a' } },
  ],
  usage: { inputTokens: 12, outputTokens: 34, cacheReadTokens: 5, cacheWriteTokens: 6, reasoningTokens: 7 },
};

test('a turn streams as the Messages API does', async () => {
  const model = await scriptedModel({ turns: [turn] });
  const events = await eventsOf(await ask(model, 'anthropic', 'go', { stream: true }));
  const block = ['content_block_start', 'content_block_delta', 'content_block_stop'];
  expect(events.map(({ type }) => type)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    ...block,
    ...block,
    ...block,
    'message_delta',
    'message_stop',
  ]);
  expect(events[0]).toMatchObject({
    message: { role: 'assistant', model: 'm', content: [], stop_reason: null, usage: { input_tokens: 12 } },
  });
  expect(events[2]).toMatchObject({ index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } });
  expect(events[5]).toMatchObject({ index: 1, content_block: { type: 'text', text: '' } });
  expect(events[6]).toMatchObject({ index: 1, delta: { type: 'text_delta', text: 'I list.' } });
  expect(events[8]).toMatchObject({ index: 2, content_block: { type: 'tool_use', name: 'Bash', input: {} } });
  expect(events[9]).toMatchObject({ delta: { type: 'input_json_delta', partial_json: '{"command":"ls"}' } });
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 34 } });
});

test('the whole form says the same in one piece', async () => {
  const model = await scriptedModel({ turns: [turn] });
  expect(await (await ask(model, 'anthropic', 'go')).json()).toMatchObject({
    type: 'message',
    content: [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'I list.' },
      { type: 'tool_use', id: 'toolu_rehearsal_1_0', name: 'Bash', input: { command: 'ls' } },
      { type: 'tool_use', id: 'toolu_rehearsal_1_1', name: 'Read', input: { file_path: 'a' } },
    ],
    stop_reason: 'tool_use',
    usage: {
      input_tokens: 12,
      output_tokens: 34,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 6,
      output_tokens_details: { thinking_tokens: 7 },
    },
  });
});

test('text alone ends the turn, and silence has no block', async () => {
  const model = await scriptedModel({ turns: [{ say: 'Done.' }, { say: '' }] });
  expect(await (await ask(model, 'anthropic', 'go')).json()).toMatchObject({ stop_reason: 'end_turn' });
  expect(await (await ask(model, 'anthropic', 'go')).json()).toMatchObject({ content: [], stop_reason: 'end_turn' });
});

test('the last user text holds texts and tool results, and no later system message', () => {
  const messages = [
    { role: 'user', content: 'first' },
    { role: 'assistant', content: [{ type: 'text', text: 'mine' }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't', content: 'plain result' },
        { type: 'tool_result', tool_use_id: 'u', content: [{ type: 'text', text: 'listed result' }] },
        { type: 'text', text: 'words' },
        { type: 'image', source: {} },
      ],
    },
    { role: 'system', content: 'from a hook' },
  ];
  const body = { model: 'm', stream: true, system: [{ text: 'Be good.' }], tools: [{ name: 'Bash' }], messages };
  const asked = anthropic.understand({ method: 'POST', path: '/v1/messages?beta=true', body });
  expect(asked).toMatchObject({
    kind: 'generate',
    model: 'm',
    stream: true,
    tools: ['Bash'],
    lastUserText: 'plain result\nlisted result\nwords\n',
    text: expect.stringMatching(/^Be good\.\nfirst\nmine\n.*from a hook$/s),
  });
});

test('tokens are counted and bad requests refused, with or without the version in the path', async () => {
  const { url } = await scriptedModel({ turns: [{ say: 'Hello.' }] });
  expect(await (await post(`${url}/v1/messages/count_tokens?beta=true`, { a: 'bcd' })).json()).toEqual({
    input_tokens: 3,
  });
  const bad = await post(`${url}/messages`, 'not a request');
  expect(bad.status).toBe(400);
  expect(await bad.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
});

test('a usage limit is reported in headers, with its reset', async () => {
  const model = await scriptedModel({ turns: [], otherwise: { fault: { status: 429, resetInSeconds: 3600 } } });
  const before = Math.floor(Date.now() / 1000);
  const response = await ask(model, 'anthropic', 'go', { stream: true });
  expect(response.status).toBe(429);
  const { headers } = response;
  expect(headers.get('anthropic-ratelimit-unified-status')).toBe('rejected');
  expect(headers.get('anthropic-ratelimit-unified-representative-claim')).toBe('five_hour');
  expect(Number(headers.get('anthropic-ratelimit-unified-reset'))).toBeGreaterThanOrEqual(before + 3600);
  expect(headers.get('retry-after')).toBe('3600');
  expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
});

test.each([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [418, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [502, 'api_error'],
  [529, 'overloaded_error'],
])('status %d is a %s', async (status, type) => {
  const model = await scriptedModel({ turns: [{ fault: { status } }, { fault: { status, message: 'Mine.' } }] });
  const response = await ask(model, 'anthropic', 'go', { stream: true });
  expect(response.status).toBe(status);
  expect(response.headers.get('retry-after')).toBeNull();
  expect(await response.json()).toMatchObject({ error: { type } });
  expect(await (await ask(model, 'anthropic', 'go')).json()).toMatchObject({ error: { type, message: 'Mine.' } });
});
