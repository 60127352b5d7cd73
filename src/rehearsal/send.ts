/** Puts a reply on the connection, at the pace the turn asks for. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Turn } from './script.ts';
import type { Reply, Wire } from './wire.ts';

export interface Performance {
  readonly wire: Wire;
  readonly turn: Turn;
  readonly stream: boolean;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export async function sendTurn(response: ServerResponse, performance: Performance, reply: Reply): Promise<void> {
  const { wire, turn, stream } = performance;
  if (turn.delayMs) await stay(response, turn.delayMs);
  if (!stream) return sendJson(response, 200, wire.whole(turn, reply));
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  for (const event of wire.events(turn, reply)) response.write(event);
  response.end();
}

/** Waits, but not for a client that has gone: its timer would keep a closed server's process alive. */
async function stay(response: ServerResponse, delayMs: number): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once('close', leave);
  try {
    await sleep(delayMs, undefined, { signal: gone.signal });
  } finally {
    response.off('close', leave);
  }
}
