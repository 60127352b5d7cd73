/** Sends a reply on one connection, at the client's pace and with the fault that the turn requests. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../../core/time.ts';
import type { Reply } from '../api-emulators/api-emulator.ts';
import type { Fault } from '../script/script.ts';
import type { TurnPlan } from './plan.ts';

/** `cut`: by us. `left`: the client disconnected before the end. */
export type Ended = 'sent' | 'cut' | 'left';

type Connection = ReturnType<typeof openConnection>;

/** One event can be as large as the whole reply, and should not go to the socket at once. */
const SLICE = 64 * 1024;

export function openConnection(response: ServerResponse) {
  const gone = new AbortController();
  let isCut = false;
  const ended = new Promise<Ended>((resolve) => {
    response.once('close', () => {
      gone.abort();
      resolve(response.writableFinished ? 'sent' : isCut ? 'cut' : 'left');
    });
  });
  return {
    response,
    ended,
    /** Resolves when the client has room for more; rejects, like `wait`, when the connection is gone. */
    async write(text: string): Promise<void> {
      for (let from = 0; from < text.length; from += SLICE) {
        gone.signal.throwIfAborted();
        const hasRoom = response.write(text.slice(from, from + SLICE));
        if (!hasRoom) await once(response, 'drain', { signal: gone.signal });
      }
    },
    /** `undefined` waits until the connection is gone. */
    async wait(forMs: Duration | undefined): Promise<void> {
      gone.signal.throwIfAborted();
      if (forMs !== undefined) return sleep(forMs, undefined, { signal: gone.signal });
      await once(gone.signal, 'abort');
      gone.signal.throwIfAborted();
    },
    /** Destroys the connection after sending what was written. */
    cut(): void {
      isCut = true;
      response.socket?.destroySoon();
    },
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export async function sendTurn(
  connection: Connection,
  { emulator, turn, said, ask }: TurnPlan,
  reply: Reply,
): Promise<void> {
  const { fault, delayMs, window } = turn;
  const { response } = connection;
  if (delayMs) await connection.wait(delayMs);
  if (fault && 'status' in fault) {
    const { status, message, resetInSeconds } = fault;
    const after = resetInSeconds === undefined ? undefined : reply.at + resetInSeconds * 1000;
    const resetAt = fault.resetAt === undefined ? after : Date.parse(fault.resetAt);
    const { headers, body } = emulator.failure({ status, message, resetAt }, reply);
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
    return sendJson(response, status, body);
  }
  // Headers are sent with the first byte of the reply.
  const told = window === undefined ? {} : (emulator.windowHeaders?.(window, reply) ?? {});
  for (const [name, value] of Object.entries(told)) response.setHeader(name, value);
  response.setHeader('content-type', ask.stream ? 'text/event-stream; charset=utf-8' : 'application/json');
  if (ask.stream) response.setHeader('cache-control', 'no-cache');
  const events = ask.stream ? emulator.events(said, reply) : [JSON.stringify(emulator.whole(said, reply))];
  for (const step of stepsOf(events, fault)) {
    if ('write' in step) await connection.write(step.write);
    else if ('waitMs' in step) await connection.wait(step.waitMs);
    else return connection.cut();
  }
  response.end();
}

export type Step =
  | { readonly write: string }
  /** `undefined`: until the client disconnects. */
  | { readonly waitMs: number | undefined }
  | { readonly cut: true };

/** `events` has one entry if the reply is not streamed. */
export function* stepsOf(events: Iterable<string>, fault: Fault | undefined): Generator<Step> {
  if (!fault || !('malformed' in fault || 'stall' in fault || 'cut' in fault)) {
    for (const write of events) yield { write };
    return;
  }
  const all = [...events];
  const isBefore = ('stall' in fault && fault.stall === 'before') || ('cut' in fault && fault.cut === 'before');
  const middle = isBefore ? 0 : Math.floor(all.length / 2);
  yield { write: all.slice(0, middle).join('') };
  if ('malformed' in fault) {
    // Breaks all following events: Codex ignores one broken piece of text, since it gets the whole text at the end.
    yield { write: all.slice(middle).map(torn).join('') };
    return;
  }
  const half = isBefore ? 0 : Math.ceil((all[middle]?.length ?? 0) / 2);
  const rest = all.slice(middle).join('');
  yield { write: rest.slice(0, half) };
  yield 'cut' in fault ? { cut: true } : { waitMs: fault.forMs };
  yield { write: rest.slice(half) };
}

/** Still a valid event: only the JSON in it is broken. */
function torn(event: string): string {
  return event.replace(/.(\n*)$/s, '$1');
}
