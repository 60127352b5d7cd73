/**
 * A small server with ntfy's API: messages are published as JSON to `/` or as text to `/<topic>`, kept, and streamed
 * from `/<topic>/json?since=…` as one JSON object per line. It listens on the loopback.
 */
import type { ServerResponse } from 'node:http';
import { loopbackServer, watched } from './loopback-server.ts';

export interface NtfyMessage {
  readonly id: string;
  readonly time: number;
  readonly event: 'message';
  readonly topic: string;
  readonly title?: string;
  readonly message: string;
  readonly priority?: number;
  readonly actions?: readonly NtfyAction[];
}

export interface NtfyAction {
  readonly action: string;
  readonly label: string;
  readonly url: string;
  readonly method: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface NtfyServer {
  readonly url: string;
  readonly messages: readonly NtfyMessage[];
  /** Resolves with the first matching message of a topic, even one that arrived before the call. */
  message(topic: string, fits?: (one: NtfyMessage) => boolean): Promise<NtfyMessage>;
  /** Resolves when this many clients follow a topic. */
  followed(topic: string, count: number): Promise<void>;
  /** Closes the connections of all clients that follow a topic. */
  hangUp(topic: string): void;
  /** Presses a button, as the app does. */
  press(message: NtfyMessage, label: string): Promise<void>;
  publish(topic: string, text: string): Promise<void>;
}

export async function ntfyServer(token?: string): Promise<NtfyServer> {
  const messages: NtfyMessage[] = [];
  const streams = new Map<string, Set<ServerResponse>>();
  const { changed, until } = watched();
  const streamsOf = (topic: string): Set<ServerResponse> => {
    const set = streams.get(topic) ?? new Set();
    streams.set(topic, set);
    return set;
  };
  const keep = (topic: string, fields: Partial<NtfyMessage>): NtfyMessage => {
    const time = Math.floor(Date.now() / 1000);
    const one = {
      message: 'triggered',
      ...fields,
      id: `m${messages.length + 1}`,
      time,
      event: 'message',
      topic,
    } as const;
    messages.push(one);
    for (const stream of streamsOf(topic)) stream.write(`${JSON.stringify(one)}\n`);
    changed();
    return one;
  };
  const follow = (topic: string, since: string, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify({ id: 'o', event: 'open', topic })}\n`);
    const own = messages.filter((one) => one.topic === topic);
    const last = own.findIndex(({ id }) => id === since);
    const later = last >= 0 ? own.slice(last + 1) : own.filter(({ time }) => time >= Number(since));
    for (const one of later) response.write(`${JSON.stringify(one)}\n`);
    streamsOf(topic).add(response);
    response.on('close', () => {
      streamsOf(topic).delete(response);
      changed();
    });
    changed();
  };
  const url = await loopbackServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://localhost');
    const [topic = '', format = ''] = asked.pathname.split('/').filter(Boolean);
    const refuse = (code: number): void => void response.writeHead(code).end();
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) return refuse(401);
    if (request.method === 'GET' && format === 'json')
      return follow(topic, asked.searchParams.get('since') ?? '', response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const fields = topic === '' ? (JSON.parse(text) as NtfyMessage) : { message: text, topic };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(keep(fields.topic, fields)));
    });
  });
  const send = async (to: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<void> => {
    await fetch(to, { method: 'POST', body, headers });
  };
  return {
    url,
    messages,
    message: (topic, fits = () => true) => until(() => messages.find((one) => one.topic === topic && fits(one))),
    followed: async (topic, count) => {
      await until(() => (streamsOf(topic).size === count ? true : undefined));
    },
    hangUp: (topic) => {
      for (const stream of streamsOf(topic)) stream.destroy();
    },
    async press(message, label) {
      const button = message.actions?.find((one) => one.label === label);
      if (button === undefined) throw new Error(`there is no button ${label}: ${JSON.stringify(message.actions)}`);
      await send(button.url, button.body, button.headers);
    },
    publish: (topic, text) =>
      send(`${url}/${topic}`, text, token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
}
