/** Sends a reply, at the pace and with the fault that the turn asks for. */
import type { ServerResponse } from 'node:http';
import type { Instant } from '../../core/time.ts';
import type { Reply, Wire } from '../api-emulators/api-emulator.ts';
import type { Said } from '../script/said.ts';
import type { Turn } from '../script/script.ts';
import type { Connection } from './connection.ts';
import type { StatusFault } from './fault.ts';
import { type Step, stepsBefore, stepsOf } from './fault-steps.ts';

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
