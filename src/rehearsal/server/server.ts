/** A model server on the loopback that plays a script and records the requests. */
import { once } from 'node:events';
import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parsedJson } from '../../core/text/json.ts';
import type { Instant } from '../../core/time.ts';
import type { ApiName, ApiRequest } from '../api-emulators/api-emulator.ts';
import type { Fault, Script } from '../script/script.ts';
import { type Answer, planAnswer } from './plan.ts';
import { type Ended, openConnection, sendJson, sendTurn } from './send.ts';

export interface ScriptedModel {
  readonly url: string;
  readonly port: number;
  requests(): RecordedRequest[];
  /** Cuts replies that are still being sent. */
  close(): Promise<void>;
}

export interface RecordedRequest extends ApiRequest {
  readonly at: Instant;
  /** Undefined for a path that no emulator knows. */
  readonly api: ApiName | undefined;
  readonly answer: Answer;
  readonly fault: Fault | undefined;
  /** Undefined while it is being answered. */
  readonly ended: Ended | undefined;
}

export interface ScriptedModelOptions {
  /** A file to which each request is written at once as a line of JSON, so that a crash loses none. */
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
    // Nothing is awaited from here to the record: two simultaneous requests never get the same turn.
    const at = Date.now();
    const plan = planAnswer(asked, script, played);
    const { answer } = plan;
    if (answer.kind === 'turn') played.set(answer.index, (played.get(answer.index) ?? 0) + 1);
    const fault = 'turn' in plan ? plan.turn.fault : undefined;
    const number = record.begin({ ...asked, at, api: plan.emulator?.name, answer, fault });
    track(connection.ended.then((ended) => record.end(number, closing && ended === 'left' ? 'cut' : ended)));
    response.setHeader('request-id', `req_rehearsal_${number}`);
    if ('turn' in plan) return sendTurn(connection, plan, { number, model: plan.ask.model, at });
    sendJson(response, plan.answer.status, plan.body);
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
      // An agent that is killed or gives up drops its own request; there is nothing left to answer.
      if (!request.socket.destroyed) throw error;
    });
    track(answered);
  });
  // An agent's tool call can take minutes; closing an idle connection could race with the next request.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // `address()` is a string only for a pipe.
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => {
    closing ??= end();
    return closing;
  };
  return { url: `http://127.0.0.1:${port}`, port, requests: record.requests, close };
}

async function readRequest(request: IncomingMessage): Promise<ApiRequest> {
  const sent = await text(request);
  // A body that is not JSON is recorded as it is; the emulator refuses it.
  const { body = sent } = { body: sent === '' ? null : parsedJson(sent) };
  return { method: request.method ?? 'GET', path: request.url ?? '/', body };
}

/** Each request has two lines in the file: `{"number", "at", "method", …}` and `{"number", "ended"}`. */
function openRecord(path: string | undefined) {
  const requests: RecordedRequest[] = [];
  const file = path === undefined ? undefined : openSync(path, 'a', 0o600);
  // Requests contain the user's code and prompts; an existing file may be readable by others.
  if (file !== undefined) fchmodSync(file, 0o600);
  const append = (line: object): void => {
    // One unbuffered write: the line is there even if the process is killed right after it.
    if (file !== undefined) writeSync(file, `${JSON.stringify(line)}\n`);
  };
  return {
    requests: () => [...requests],
    begin(request: Omit<RecordedRequest, 'ended'>): number {
      const number = requests.push({ ...request, ended: undefined });
      append({ number, ...request });
      return number;
    },
    end(number: number, ended: Ended): void {
      const request = requests[number - 1];
      if (!request) return;
      requests[number - 1] = { ...request, ended };
      append({ number, ended });
    },
    close(): void {
      if (file !== undefined) closeSync(file);
    },
  };
}
