/** A real HTTP server on the loopback that receives notifications, and can act as if it were slow or broken. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { loopbackServer, watched } from './loopback-server.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface HttpReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** How many requests are open, without an answer. */
  open(): number;
  /** Resolves when this many requests have arrived, answered or not. */
  count(wanted: number): Promise<readonly Received[]>;
  /** Resolves with the first matching request, even one that arrived before the call. */
  that(fits: (one: Received) => boolean): Promise<Received>;
}

type Answer = (index: number, response: ServerResponse, one: Received) => void;

export const accepts: Answer = (_index, response) => void response.writeHead(200).end('ok');
export const answers =
  (...codes: number[]): Answer =>
  (index, response) =>
    void response.writeHead(codes[Math.min(index, codes.length - 1)] ?? 200).end();
/** Takes the request, and never answers. */
export const hangs: Answer = () => undefined;

export async function httpReceiver(answer: Answer = accepts): Promise<HttpReceiver> {
  const received: Received[] = [];
  let open = 0;
  const { changed, until } = watched();
  const url = await loopbackServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const one = { path: request.url ?? '', headers: request.headers, body, json: jsonIn(body) };
      received.push(one);
      open += 1;
      response.on('close', () => {
        open -= 1;
      });
      answer(received.length - 1, response, one);
      changed();
    });
  });
  return {
    url,
    received,
    open: () => open,
    count: (wanted) => until(() => (received.length >= wanted ? received : undefined)),
    that: (fits) => until(() => received.find(fits)),
  };
}

function jsonIn(body: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body) as Readonly<Record<string, unknown>>;
  } catch {
    // The body is not JSON.
    return {};
  }
}
