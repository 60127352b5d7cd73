/** A model server on the loopback that plays a script and records what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Instant } from '../core/time.ts';
import { anthropic } from './anthropic.ts';
import { pickTurn, type ScriptAnswer } from './pick-turn.ts';
import type { Script, Turn } from './script.ts';
import { sendJson, sendTurn } from './send.ts';
import type { Wire, WireRequest } from './wire.ts';

export interface ScriptedModel {
  readonly url: string;
  readonly port: number;
  /** Every request so far, in the order of arrival. */
  requests(): RecordedRequest[];
  /** Cuts whatever is still being answered. */
  close(): Promise<void>;
}

export interface RecordedRequest extends WireRequest {
  readonly at: Instant;
  readonly answer: Answer;
}

export type Answer =
  | ScriptAnswer
  /** A request without tools, such as one for a title: a canned answer that leaves the script alone. */
  | { readonly kind: 'side' }
  /** Needed no turn: counted tokens, a refusal. */
  | { readonly kind: 'direct'; readonly status: number };

/** How one request will be answered. */
type Plan =
  | { readonly send: 'json'; readonly answer: Answer; readonly status: number; readonly body: unknown }
  | {
      readonly send: 'turn';
      readonly answer: Answer;
      readonly wire: Wire;
      readonly turn: Turn;
      readonly stream: boolean;
      readonly model: string;
    };

const WIRES: readonly Wire[] = [anthropic];

const SIDE_TURN: Turn = { say: 'Rehearsal' };

export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const recorded: RecordedRequest[] = [];
  const played = new Set<number>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await readRequest(request);
    // From here to the record nothing waits: two requests at once never get the same turn.
    const plan = planAnswer(asked, script, played);
    if (plan.answer.kind === 'turn') played.add(plan.answer.index);
    const number = recorded.push({ ...asked, at: Date.now(), answer: plan.answer });
    response.setHeader('request-id', `req_rehearsal_${number}`);
    if (plan.send === 'json') return sendJson(response, plan.status, plan.body);
    return sendTurn(response, plan, { number, model: plan.model });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // An agent that is killed or gives up cuts its own request; there is nobody left to answer.
      if (request.socket.destroyed) return;
      throw error;
    });
  });
  // An agent's tool call may take minutes; a connection closed under it could race with the next request.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // `address()` is a string only for a pipe.
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: () => [...recorded],
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<WireRequest> {
  const sent = await text(request);
  return { method: request.method ?? 'GET', path: request.url ?? '/', body: sent === '' ? null : parsed(sent) };
}

function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    // Recorded as it came; the wire refuses it.
    return sent;
  }
}

function planAnswer(asked: WireRequest, script: Script, played: ReadonlySet<number>): Plan {
  for (const wire of WIRES) {
    const ask = wire.understand(asked);
    if (!ask) continue;
    if (ask.kind === 'direct') {
      return { send: 'json', answer: { kind: 'direct', status: ask.status }, status: ask.status, body: ask.body };
    }
    const { stream, model } = ask;
    if (!ask.offersTools) return { send: 'turn', answer: { kind: 'side' }, turn: SIDE_TURN, wire, stream, model };
    return { send: 'turn', ...pickTurn(script, played, ask.lastUserText), wire, stream, model };
  }
  const body = { type: 'error', error: { type: 'not_found_error', message: `No rehearsal for ${asked.path}` } };
  return { send: 'json', answer: { kind: 'direct', status: 404 }, status: 404, body };
}
