import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { API_NAMES, ask, eventsOf, said, scriptedModel } from '../../../test/support/scripted-model.ts';
import type { Fault } from '../script/script.ts';
import type { ScriptedModel } from './server.ts';

function faulty(fault: Fault): Promise<ScriptedModel> {
  return scriptedModel({ turns: [{ say: 'I say some words, more than one piece of them.', fault }, { say: 'Well.' }] });
}

/** Waits until the first request is over. */
async function ended({ requests }: ScriptedModel): Promise<string> {
  while (requests()[0]?.ended === undefined) await new Promise(setImmediate);
  return String(requests()[0]?.ended);
}

describe.each(API_NAMES)('in the words of %s', (api) => {
  test.each([true, false])(
    'an answer cut in the middle arrives in part and breaks off (streamed: %s)',
    async (stream) => {
      const model = await faulty({ cut: 'event' });
      const response = await ask(model, api, 'go', { stream });
      expect(response.status).toBe(200);
      const arrived: string[] = [];
      const reading = (async () => {
        for await (const chunk of response.body ?? []) arrived.push(new TextDecoder().decode(chunk));
      })();
      await expect(reading).rejects.toThrow();
      expect(arrived.join('')).not.toBe('');
      expect(await ended(model)).toBe('cut');
      expect(await said(ask(model, api, 'go'))).toBe('Well.');
    },
  );

  test.each([true, false])('a malformed answer is no JSON (streamed: %s)', async (stream) => {
    const model = await faulty({ malformed: true });
    const response = await ask(model, api, 'go', { stream });
    await expect(stream ? eventsOf(response) : response.json()).rejects.toThrow(SyntaxError);
    expect(await ended(model)).toBe('sent');
  });

  test('a stall in the middle lets the first part out, and goes on after its time', async () => {
    const model = await faulty({ stall: 'middle', forMs: 1 });
    const response = await ask(model, api, 'go', { stream: true });
    expect((await eventsOf(response)).length).toBeGreaterThan(1);
    expect(await ended(model)).toBe('sent');
  });

  test('closing ends a stall in the middle that has no end', async () => {
    const model = await faulty({ stall: 'middle' });
    const response = await ask(model, api, 'go', { stream: true });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    const closed = model.close();
    const rest = async (): Promise<void> => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toThrow();
    await closed;
    expect(model.requests()[0]).toMatchObject({ fault: { stall: 'middle' }, ended: 'cut' });
  });

  test('a big reply arrives in full, streamed or whole', async () => {
    const bytes = 1024 * 1024;
    const turn = { say: 'The end.', fault: { bigReplyBytes: bytes } };
    const model = await scriptedModel({ turns: [turn, turn] });
    expect((await said(ask(model, api, 'go'))).length).toBe(bytes + 'The end.'.length);
    const streamed = await (await ask(model, api, 'go', { stream: true })).text();
    expect(streamed.length).toBeGreaterThan(bytes);
    expect(streamed).toContain('The end.');
  });
});

test('a connection cut before the answer gives no byte at all', async () => {
  const model = await faulty({ cut: 'before' });
  await expect(ask(model, 'anthropic', 'go', { stream: true })).rejects.toThrow('fetch failed');
  expect(await ended(model)).toBe('cut');
  expect(model.requests()[0]?.fault).toEqual({ cut: 'before' });
});

test('a stall before the answer sends no headers until the client leaves', async () => {
  const model = await faulty({ stall: 'before' });
  const leaving = new AbortController();
  const waiting = ask(model, 'anthropic', 'go', { signal: leaving.signal });
  while (model.requests().length === 0) await new Promise(setImmediate);
  expect(model.requests()[0]?.ended).toBeUndefined();
  leaving.abort();
  await expect(waiting).rejects.toThrow();
  expect(await ended(model)).toBe('left');
});

test('a stall before the answer goes on after its time', async () => {
  const model = await faulty({ stall: 'before', forMs: 1 });
  expect(await said(ask(model, 'anthropic', 'go'))).toContain('some words');
});

test('closing ends a stall before the answer that has no end', async () => {
  const model = await faulty({ stall: 'before' });
  const waiting = ask(model, 'anthropic', 'go').catch((error: unknown) => error);
  while (model.requests().length === 0) await new Promise(setImmediate);
  await model.close();
  expect(await waiting).toBeInstanceOf(Error);
});

test('a big reply waits for a client that does not read, and closing ends it', async () => {
  const bytes = 64 * 1024 * 1024;
  const model = await faulty({ bigReplyBytes: bytes });
  const body = JSON.stringify({ model: 'm', stream: true, tools: [{ name: 'Bash' }], messages: [] });
  const asking = request(`${model.url}/v1/messages`, { method: 'POST' }).end(body);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  response.on('error', () => {
    // This test cuts the connection on purpose.
  });
  await once(response, 'readable');
  // The model still answers other requests: it has not built the whole reply in memory first.
  await text((await once(get(`${model.url}/v1/models`), 'response'))[0] as IncomingMessage);
  expect(model.requests()[0]?.ended).toBeUndefined();
  await model.close();
  expect(model.requests()[0]?.ended).toBe('cut');
});

test('a fault is played as often as its turn says, then the next turn', async () => {
  const model = await scriptedModel({ turns: [{ fault: { status: 529 }, times: 2 }, { say: 'Well.' }] });
  const statuses = [];
  for (const _ of [1, 2, 3]) statuses.push((await ask(model, 'anthropic', 'go')).status);
  expect(statuses).toEqual([529, 529, 200]);
  expect(model.requests().map(({ fault }) => fault)).toEqual([{ status: 529 }, { status: 529 }, undefined]);
});

test('a request without tools is not befallen', async () => {
  const model = await scriptedModel({ turns: [], otherwise: { fault: { status: 500 } } });
  expect((await ask(model, 'openai-chat', 'a title?', { tools: [] })).status).toBe(200);
});
