/** A model server on the loopback that plays a script and records what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WireRequest } from '../api-emulators/api-emulator.ts';
import type { Script } from '../script/script.ts';
import { openConnection } from './connection.ts';
import { planAnswer } from './plan.ts';
import { openRecord, type RecordedRequest } from './record.ts';
import { sendJson, sendTurn } from './send.ts';

export type { RecordedRequest } from './record.ts';

export interface ScriptedModel {
  readonly url: string;
  readonly port: number;
  /** Every request so far, in the order of arrival. */
  requests(): RecordedRequest[];
  /** Cuts whatever is still being answered. */
  close(): Promise<void>;
}

export interface ScriptedModelOptions {
  /** A file that gets each request as a line of JSON while it happens, so that a crash loses none. */
  readonly recordTo?: string;
}

export async function startScriptedModel(
  script: Script,
  { recordTo }: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const record = openRecord(recordTo);
  const played = new Map<number, number>();
  const unfinished = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = openConnection(response);
    const asked = await readRequest(request);
    // From here to the record nothing waits: two requests at once never get the same turn.
    const at = Date.now();
    const plan = planAnswer(asked, script, played);
    const { answer, fault } = plan;
    if (answer.kind === 'turn') played.set(answer.index, (played.get(answer.index) ?? 0) + 1);
    const wire = plan.send === 'turn' ? plan.wire.name : plan.wire;
    const number = record.begin({ ...asked, at, wire, answer, fault });
    track(connection.ended.then((ended) => record.end(number, closing && ended === 'left' ? 'cut' : ended)));
    response.setHeader('request-id', `req_rehearsal_${number}`);
    if (plan.send === 'json') return sendJson(response, plan.status, plan.body);
    return sendTurn(connection, plan, { number, model: plan.model, at });
  }

  function track(work: Promise<void>): void {
    const done = work.finally(() => unfinished.delete(done));
    unfinished.add(done);
  }

  async function end(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
    await Promise.all(unfinished);
    record.close();
  }

  const server = createServer((request, response) => {
    const answered = handle(request, response).catch((error: unknown) => {
      // An agent that is killed or gives up cuts its own request; there is nothing left to answer.
      if (!request.socket.destroyed) throw error;
    });
    track(answered);
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
    requests: record.requests,
    close: () => {
      closing ??= end();
      return closing;
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
