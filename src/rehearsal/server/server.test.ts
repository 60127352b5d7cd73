import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { API_NAMES, ask, eventsOf, post, said, scriptedModel } from '../../../test/support/scripted-model.ts';
import type { ScriptedModel } from './server.ts';

/** Waits until the model has had `count` requests. */
async function asked({ requests }: ScriptedModel, count: number): Promise<void> {
  while (requests().length < count) await new Promise(setImmediate);
}

test('it listens on the loopback', async () => {
  const { url, port } = await scriptedModel({ turns: [] });
  expect(url).toBe(`http://127.0.0.1:${port}`);
});

describe.each(API_NAMES)('in the words of %s', (api) => {
  test('a turn is streamed, or sent whole', async () => {
    const model = await scriptedModel({ turns: [{ say: 'One.' }, { say: 'Two.' }] });
    const response = await ask(model, api, 'go', { stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('One.');
    expect(await said(ask(model, api, 'go'))).toBe('Two.');
  });

  test('only requests that offer tools advance the script', async () => {
    const model = await scriptedModel({ turns: [{ say: 'one' }, { say: 'two' }] });
    expect(await said(ask(model, api, 'go'))).toBe('one');
    expect(await said(ask(model, api, 'a title?', { tools: [] }))).toBe('Rehearsal');
    expect(await said(ask(model, api, 'go'))).toBe('two');
    expect(model.requests().map(({ answer }) => answer)).toEqual([
      { kind: 'turn', index: 0 },
      { kind: 'side' },
      { kind: 'turn', index: 1 },
    ]);
    expect(model.requests().map(({ api }) => api)).toEqual([api, api, api]);
  });

  test('turns are chosen by the last user message, or by anything in the request', async () => {
    const model = await scriptedModel({
      turns: [
        { match: { anywhere: 'blue' }, say: 'b' },
        { match: 'red', say: 'r' },
      ],
    });
    expect(await said(ask(model, api, 'a red door'))).toBe('r');
    expect(await said(ask(model, api, 'a blue door'))).toBe('b');
  });
});

test('requests at the same time get different turns', async () => {
  const model = await scriptedModel({ turns: Array.from({ length: 20 }, (_, index) => ({ say: String(index) })) });
  const texts = await Promise.all(Array.from({ length: 20 }, () => said(ask(model, 'anthropic', 'go'))));
  expect(new Set(texts).size).toBe(20);
});

test('a turn with a count is played that often, also at the same time', async () => {
  const model = await scriptedModel({ turns: [{ say: 'again', times: 3 }, { say: 'last' }] });
  const texts = await Promise.all(Array.from({ length: 4 }, () => said(ask(model, 'openai-chat', 'go'))));
  expect(texts.sort()).toEqual(['again', 'again', 'again', 'last']);
});

test('an action becomes a call of the shell that the request offers', async () => {
  const run = { run: 'ls' };
  const model = await scriptedModel({ turns: [run, run] });
  expect(await (await ask(model, 'openai-chat', 'go', { tools: ['read', 'bash'] })).json()).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { name: 'bash' } }] } }],
  });
  expect(await said(ask(model, 'openai-chat', 'go', { tools: ['read'] }))).toContain('none of the offered tools');
});

test('a side request that wants JSON gets some of the shape that it wants', async () => {
  const { url } = await scriptedModel({ turns: [] });
  const schema = { type: 'object', properties: { title: { type: 'string' } } };
  const answers = [
    post(`${url}/v1/messages`, { model: 'm', messages: [], output_config: { format: { schema } } }),
    post(`${url}/v1/responses`, { model: 'm', input: '', text: { format: { schema } } }),
    post(`${url}/v1/chat/completions`, { model: 'm', messages: [], response_format: { json_schema: { schema } } }),
    post(`${url}/v1beta/models/m:generateContent`, { contents: [], generationConfig: { responseJsonSchema: schema } }),
  ];
  for (const answer of answers) expect(JSON.parse(await said(answer))).toEqual({ title: 'Rehearsal' });
});

test('a list of models is there for those who ask', async () => {
  const { url } = await scriptedModel({ turns: [] });
  for (const path of ['/v1/models', '/v1beta/models', '/models?limit=1']) {
    const response = await fetch(`${url}${path}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: [{ id: 'rehearsal' }] });
  }
});

test('an exhausted script says so, and the record marks it', async () => {
  const model = await scriptedModel({ turns: [{ match: 'never', say: 'x' }] });
  expect(await said(ask(model, 'anthropic', 'go'))).toContain('exhausted');
  expect(model.requests()[0]?.answer).toEqual({ kind: 'exhausted', left: 1 });
});

test('every request is recorded as it came, known or not', async () => {
  const model = await scriptedModel({ turns: [] });
  const { url, requests } = model;
  const before = Date.now();
  expect((await fetch(`${url}/api/hello?x=1`)).status).toBe(404);
  expect((await fetch(`${url}/v1/messages`, { method: 'POST', body: '{torn' })).status).toBe(400);
  await said(ask(model, 'anthropic', 'go'));
  expect(requests()).toMatchObject([
    { method: 'GET', path: '/api/hello?x=1', body: null, api: undefined, answer: { kind: 'direct', status: 404 } },
    { path: '/v1/messages', body: '{torn', api: 'anthropic', answer: { kind: 'direct', status: 400 } },
    { path: '/v1/messages?beta=true', body: { model: 'm' }, api: 'anthropic', answer: { kind: 'exhausted' } },
  ]);
  expect(requests()[0]?.at).toBeGreaterThanOrEqual(before);
});

test('a delay comes before the first byte', async () => {
  const model = await scriptedModel({ turns: [{ say: 'late', delayMs: 50 }] });
  const began = performance.now();
  await ask(model, 'anthropic', 'go', { stream: true });
  // A timer may fire up to a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(49);
});

test('a client that leaves during a delay takes its turn with it and harms nothing', async () => {
  const model = await scriptedModel({ turns: [{ say: 'late', delayMs: 60_000 }, { say: 'next' }] });
  const leaving = new AbortController();
  const left = ask(model, 'anthropic', 'go', { signal: leaving.signal });
  await asked(model, 1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  expect(await said(ask(model, 'anthropic', 'go'))).toBe('next');
});

test('a client that leaves in the middle of its request is no request', async () => {
  const model = await scriptedModel({ turns: [{ say: 'one' }] });
  const socket = connect(model.port, '127.0.0.1');
  socket.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{"model"', () => socket.destroy());
  await once(socket, 'close');
  expect(await said(ask(model, 'anthropic', 'go'))).toBe('one');
  expect(model.requests()).toHaveLength(1);
});

test('closing cuts a reply that is still delayed, and closing twice is fine', async () => {
  const model = await scriptedModel({ turns: [{ say: 'late', delayMs: 60_000 }] });
  const cut = ask(model, 'anthropic', 'go').catch((error: unknown) => error);
  await asked(model, 1);
  await Promise.all([model.close(), model.close()]);
  expect(await cut).toBeInstanceOf(Error);
  expect(model.requests()[0]?.ended).toBe('cut');
});

test('events of a long text come in pieces', async () => {
  const model = await scriptedModel({ turns: [{ say: 'All finished.\n<promise>DONE</promise>' }] });
  const events = await eventsOf(await ask(model, 'anthropic', 'go', { stream: true }));
  const pieces = events.flatMap(({ delta }) => (delta?.text === undefined ? [] : [delta.text]));
  expect(pieces.join('')).toBe('All finished.\n<promise>DONE</promise>');
  expect(pieces.some((piece) => piece.includes('<promise>'))).toBe(false);
});
