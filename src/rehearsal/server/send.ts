/** Sends a reply, at the pace and with the fault that the turn asks for. */
import type { ServerResponse } from 'node:http';
import type { Instant } from '../../core/time.ts';
import type { Reply, Wire } from '../api-emulators/api-emulator.ts';
import type { Said } from '../script/said.ts';
import type { Fault, StatusFault, Turn } from '../script/script.ts';
import type { Connection } from './connection.ts';

export interface Performance {
  readonly wire: Wire;
  readonly turn: Turn;
  readonly said: Said;
  readonly stream: boolean;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Rejects when the connection is gone before the end. */
export async function sendTurn(connection: Connection, performance: Performance, reply: Reply): Promise<void> {
  const { wire, turn, said, stream } = performance;
  const { fault, delayMs } = turn;
  const { response } = connection;
  if (delayMs) await connection.wait(delayMs);
  if (fault && 'status' in fault) return sendFailure(response, wire, fault, reply);
  if (!(await take(stepsBefore(fault), connection))) return;
  const headers = stream
    ? { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
    : { 'content-type': 'application/json' };
  response.writeHead(200, headers);
  const events = stream ? wire.events(said, reply) : [JSON.stringify(wire.whole(said, reply))];
  if (await take(stepsOf(events, fault), connection)) response.end();
}

function sendFailure(response: ServerResponse, wire: Wire, fault: StatusFault, reply: Reply): void {
  const { status, message } = fault;
  const { headers, body } = wire.failure({ status, message, resetAt: resetOf(fault, reply.at) }, reply);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendJson(response, status, body);
}

function resetOf({ resetAt, resetInSeconds }: StatusFault, now: Instant): Instant | undefined {
  if (resetAt !== undefined) return Date.parse(resetAt);
  return resetInSeconds === undefined ? undefined : now + resetInSeconds * 1000;
}

/** False when the connection was cut, and nothing more can be sent. */
async function take(steps: Iterable<Step>, connection: Connection): Promise<boolean> {
  for (const step of steps) {
    switch (step.do) {
      case 'write':
        await connection.write(step.text);
        break;
      case 'wait':
        await connection.wait(step.forMs);
        break;
      case 'cut':
        connection.cut();
        return false;
    }
  }
  return true;
}

/** What is done on a connection to send a reply, with the fault that befalls it. */
export type Step =
  | { readonly do: 'write'; readonly text: string }
  /** Undefined: until the client goes. */
  | { readonly do: 'wait'; readonly forMs: number | undefined }
  /** Destroys the connection. */
  | { readonly do: 'cut' };

/** Faults that are over before there is a byte of the reply; a refusal by status has no reply at all. */
export function* stepsBefore(fault: Fault | undefined): Generator<Step> {
  if (!fault) return;
  if ('stall' in fault && fault.stall === 'before') yield { do: 'wait', forMs: fault.forMs };
  if ('cut' in fault && fault.cut === 'before') yield { do: 'cut' };
}

/** `events` may be one, when the reply comes in one piece. */
export function* stepsOf(events: Iterable<string>, fault: Fault | undefined): Generator<Step> {
  if (!fault || !breaksTheMiddle(fault)) {
    for (const text of events) yield { do: 'write', text };
    return;
  }
  const all = [...events];
  const middle = Math.floor(all.length / 2);
  const [before, after] = [all.slice(0, middle), all.slice(middle)];
  yield { do: 'write', text: before.join('') };
  if ('malformed' in fault) {
    // All that follow: Codex passes over a single bad piece of text, since it gets the whole text at the end.
    yield { do: 'write', text: after.map(torn).join('') };
    return;
  }
  const half = Math.ceil((after[0]?.length ?? 0) / 2);
  const rest = after.join('');
  yield { do: 'write', text: rest.slice(0, half) };
  yield 'cut' in fault ? { do: 'cut' } : { do: 'wait', forMs: fault.forMs };
  yield { do: 'write', text: rest.slice(half) };
}

type MiddleFault = Extract<Fault, { stall: unknown } | { cut: unknown } | { malformed: unknown }>;

function breaksTheMiddle(fault: Fault): fault is MiddleFault {
  return (
    'malformed' in fault || ('stall' in fault && fault.stall === 'middle') || ('cut' in fault && fault.cut === 'event')
  );
}

/** Still an event by its form, so that it is the JSON in it that is wrong. */
function torn(event: string): string {
  const [end = ''] = /\n*$/.exec(event) ?? [];
  return `${event.slice(0, event.length - end.length - 1)}${end}`;
}
