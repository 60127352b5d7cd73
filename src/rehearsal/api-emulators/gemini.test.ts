import { expect, test } from 'vitest';
import { ask, eventsOf, post, scriptedModel } from '../../../test/support/scripted-model.ts';
import type { Turn } from '../script/script.ts';
import { gemini } from './gemini.ts';

const turn: Turn = {
  think: 'Hm.',
  say: 'I list.',
  tool: { name: 'run_shell_command', input: { command: 'ls' } },
  usage: { inputTokens: 12, outputTokens: 34, cacheReadTokens: 5, cacheWriteTokens: 6, reasoningTokens: 7 },
};

const parts = [
  { text: 'Hm.', thought: true },
  { text: 'I list.' },
  { functionCall: { name: 'run_shell_command', args: { command: 'ls' } } },
];

const usageMetadata = {
  promptTokenCount: 23,
  cachedContentTokenCount: 5,
  candidatesTokenCount: 27,
  thoughtsTokenCount: 7,
  totalTokenCount: 57,
};

test('a turn streams as the Gemini API does', async () => {
  const model = await scriptedModel({ turns: [turn] });
  const events = await eventsOf(await ask(model, 'gemini', 'go', { stream: true }));
  expect(events.flatMap(({ candidates: [{ content }] }) => content.parts)).toEqual(parts);
  expect(events.map(({ candidates: [{ finishReason }] }) => finishReason)).toEqual([undefined, undefined, 'STOP']);
  expect(events.at(-1)).toMatchObject({ usageMetadata, modelVersion: 'm' });
});

test('the whole form says the same in one piece', async () => {
  const model = await scriptedModel({ turns: [turn] });
  expect(await (await ask(model, 'gemini', 'go')).json()).toMatchObject({
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata,
  });
});

test('the last user text holds texts and what functions returned', () => {
  const contents = [
    { role: 'user', parts: [{ text: 'first' }] },
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'call-1', name: 'f', response: { output: 'a result' } } },
        { text: 'words' },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      ],
    },
  ];
  const systemInstruction = { parts: [{ text: 'Be good.' }] };
  const tools = [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }, { googleSearch: {} }];
  const path = '/v1beta/models/gemini-x:streamGenerateContent?alt=sse';
  const asked = gemini.understand({ method: 'POST', path, body: { contents, systemInstruction, tools } });
  expect(asked).toMatchObject({
    kind: 'generate',
    model: 'gemini-x',
    stream: true,
    tools: ['f', 'g'],
    lastUserText: 'a result\nwords\n',
    text: expect.stringMatching(/^Be good\.\nfirst\n.*words/s),
  });
});

test('the vendor’s own search is no tool of the agent', () => {
  const path = '/models/m:generateContent';
  const body = { contents: [], tools: [{ googleSearch: {} }] };
  expect(gemini.understand({ method: 'POST', path, body })).toMatchObject({ tools: [], stream: false });
});

test('tokens are counted, bad requests refused, other verbs left alone', async () => {
  const { url } = await scriptedModel({ turns: [] });
  expect(await (await post(`${url}/v1beta/models/m:countTokens`, { a: 'bcd' })).json()).toEqual({ totalTokens: 3 });
  const bad = await post(`${url}/v1beta/models/m:generateContent`, {});
  expect(bad.status).toBe(400);
  expect(await bad.json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
  expect((await post(`${url}/v1beta/models/m:embedContent`, {})).status).toBe(404);
});

test.each([
  [3600, 'PerDay'],
  [30, 'PerMinute'],
])('a limit that ends in %d s is a quota %s, with its reset', async (resetInSeconds, period) => {
  const model = await scriptedModel({ turns: [{ fault: { status: 429, resetInSeconds } }] });
  const response = await ask(model, 'gemini', 'go', { stream: true });
  expect(response.status).toBe(429);
  expect(await response.json()).toMatchObject({
    error: {
      code: 429,
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { violations: [{ quotaId: expect.stringContaining(period) }] },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${resetInSeconds}s` },
      ],
    },
  });
});

test.each([
  [401, 'UNAUTHENTICATED'],
  [418, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [529, 'UNAVAILABLE'],
])('status %d is %s', async (code, status) => {
  const model = await scriptedModel({ turns: [{ fault: { status: code } }] });
  const response = await ask(model, 'gemini', 'go');
  expect(response.status).toBe(code);
  expect(await response.json()).toMatchObject({ error: { code, status } });
});
