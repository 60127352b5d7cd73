import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Script } from './script.ts';
import { type ScriptedModel, startScriptedModel } from './server.ts';

let model: ScriptedModel | undefined;

afterEach(async () => {
  await model?.close();
  model = undefined;
});

async function start(script: Script): Promise<ScriptedModel> {
  model = await startScriptedModel(script);
  return model;
}

function post(url: string, path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) });
}

function ask(text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'm', tools: [{ name: 'Bash' }], messages: [{ role: 'user', content: text }], ...more };
}

async function said(response: Promise<Response>): Promise<unknown> {
  const reply = (await (await response).json()) as { content: { text?: string }[] };
  return reply.content[0]?.text;
}

test('it listens on the loopback and streams a turn', async () => {
  const { url, port } = await start({ turns: [{ say: 'Hello.' }] });
  expect(url).toBe(`http://127.0.0.1:${port}`);
  const response = await post(url, '/v1/messages?beta=true', ask('go', { stream: true }));
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const names = (await response.text()).match(/^event: .*$/gm);
  expect(names?.[0]).toBe('event: message_start');
  expect(names?.at(-1)).toBe('event: message_stop');
});

test('only requests that offer tools advance the script', async () => {
  const { url, requests } = await start({ turns: [{ say: 'one' }, { say: 'two' }] });
  expect(await said(post(url, '/v1/messages', ask('go')))).toBe('one');
  expect(await said(post(url, '/v1/messages', ask('a title?', { tools: [] })))).toBe('Rehearsal');
  expect(await (await post(url, '/v1/messages/count_tokens', ask('go'))).json()).toHaveProperty('input_tokens');
  expect(await said(post(url, '/v1/messages', ask('go')))).toBe('two');
  expect(requests().map(({ answer }) => answer)).toEqual([
    { kind: 'turn', index: 0 },
    { kind: 'side' },
    { kind: 'direct', status: 200 },
    { kind: 'turn', index: 1 },
  ]);
});

test('requests at the same time get different turns', async () => {
  const { url } = await start({ turns: Array.from({ length: 20 }, (_, index) => ({ say: String(index) })) });
  const texts = await Promise.all(Array.from({ length: 20 }, () => said(post(url, '/v1/messages', ask('go')))));
  expect(new Set(texts).size).toBe(20);
});

test('an exhausted script says so, and the record marks it', async () => {
  const { url, requests } = await start({ turns: [{ match: 'never', say: 'x' }] });
  expect(await said(post(url, '/v1/messages', ask('go')))).toContain('exhausted');
  expect(requests()[0]?.answer).toEqual({ kind: 'exhausted', left: 1 });
});

test('every request is recorded as it came, known or not', async () => {
  const { url, requests } = await start({ turns: [] });
  const before = Date.now();
  expect((await fetch(`${url}/api/hello?x=1`)).status).toBe(404);
  expect((await fetch(`${url}/v1/messages`, { method: 'POST', body: '{torn' })).status).toBe(400);
  await post(url, '/v1/messages', ask('go'));
  expect(requests()).toMatchObject([
    { method: 'GET', path: '/api/hello?x=1', body: null, answer: { kind: 'direct', status: 404 } },
    { method: 'POST', path: '/v1/messages', body: '{torn', answer: { kind: 'direct', status: 400 } },
    { method: 'POST', path: '/v1/messages', body: { model: 'm' }, answer: { kind: 'exhausted' } },
  ]);
  expect(requests()[0]?.at).toBeGreaterThanOrEqual(before);
});

test('a delay comes before the first byte', async () => {
  const { url } = await start({ turns: [{ say: 'late', delayMs: 50 }] });
  const began = performance.now();
  await post(url, '/v1/messages', ask('go', { stream: true }));
  // A timer may fire up to a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(49);
});

test('a client that leaves during a delay takes its turn with it and harms nothing', async () => {
  const { url, requests } = await start({ turns: [{ say: 'late', delayMs: 60_000 }, { say: 'next' }] });
  const leaving = new AbortController();
  const left = post(url, '/v1/messages', ask('go'), leaving.signal);
  while (requests().length === 0) await new Promise(setImmediate);
  leaving.abort();
  await expect(left).rejects.toThrow();
  expect(await said(post(url, '/v1/messages', ask('go')))).toBe('next');
});

test('a client that leaves in the middle of its request is no request', async () => {
  const { url, port, requests } = await start({ turns: [{ say: 'one' }] });
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{"model"', () => socket.destroy());
  await once(socket, 'close');
  expect(await said(post(url, '/v1/messages', ask('go')))).toBe('one');
  expect(requests()).toHaveLength(1);
});

test('closing cuts a reply that is still delayed, and closing twice is fine', async () => {
  const { url, requests, close } = await start({ turns: [{ say: 'late', delayMs: 60_000 }] });
  const cut = post(url, '/v1/messages', ask('go')).catch((error: unknown) => error);
  while (requests().length === 0) await new Promise(setImmediate);
  await close();
  expect(await cut).toBeInstanceOf(Error);
  await close();
});
