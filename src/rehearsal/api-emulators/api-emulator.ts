/** The contract of one model API: how its requests are understood and how a reply is said in its words. */
import * as z from 'zod';
import type { Instant } from '../../core/time.ts';
import type { Said } from '../script/said.ts';

export interface Wire {
  readonly name: WireName;
  /** Undefined when the request is not of this API. */
  understand(request: WireRequest): Ask | undefined;
  /** The reply as server-sent events, one string each, so that a fault can fall between or inside them. */
  events(said: Said, reply: Reply): Iterable<string>;
  /** The same reply in one piece, for a request that does not stream. */
  whole(said: Said, reply: Reply): unknown;
  /** An error as this vendor sends it. */
  failure(failure: Failure, reply: Reply): FailureReply;
}

export type WireName = 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini';

export interface WireRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Parsed JSON; the raw text when it is not JSON; null when there was none. */
  readonly body: unknown;
}

export type Ask = Generate | Direct;

export interface Generate {
  readonly kind: 'generate';
  readonly model: string;
  readonly stream: boolean;
  /** Names. Only the agent's main loop offers any; titles, summaries and quota probes do not. */
  readonly tools: readonly string[];
  /** What the user, or a tool for them, said last. */
  readonly lastUserText: string;
  /** All instructions and messages; not the tools' descriptions, which say much else. */
  readonly text: string;
  /** The JSON Schema that the answer must have; undefined for an answer in words. */
  readonly answerSchema: unknown;
}

/** Needs no turn: counted tokens, a refusal. */
interface Direct {
  readonly kind: 'direct';
  readonly status: number;
  readonly body: unknown;
}

export interface Reply {
  /** Unique in one server; identifiers in the reply are made from it. */
  readonly number: number;
  readonly model: string;
  readonly at: Instant;
}

export interface Failure {
  readonly status: number;
  /** Undefined for the vendor's own words. */
  readonly message: string | undefined;
  /** When a usage limit ends. */
  readonly resetAt: Instant | undefined;
}

export interface FailureReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What a path asks for, without its query and its version: agents differ in whether the base address holds `/v1`. */
export function routeOf(path: string): string {
  const [route = ''] = path.split('?');
  return route.replace(/^\/v1(beta)?(?=\/)/, '');
}

/** A request that does not have its API's form is refused in the vendor's words. */
export function understood<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  refuse: (why: string) => object,
  ask: (request: z.infer<Schema>) => Omit<Generate, 'kind'>,
): Ask {
  const asked = schema.safeParse(body);
  if (asked.success) return { kind: 'generate', ...ask(asked.data) };
  return { kind: 'direct', status: 400, body: refuse(z.prettifyError(asked.error)) };
}

/** Errors by status; 4 and 5 stand for those that are not named. */
export type ErrorKinds<Kind> = ReadonlyMap<number, Kind>;

export function errorKind<Kind>(kinds: ErrorKinds<Kind>, status: number): Kind {
  const kind = kinds.get(status) ?? kinds.get(status < 500 ? 4 : 5);
  if (kind === undefined) throw new Error(`no error for ${status}`);
  return kind;
}

export function secondsUntil(resetAt: Instant, { at }: Reply): number {
  return Math.max(0, Math.ceil((resetAt - at) / 1000));
}

/** Tokens of a whole prompt, for vendors that count the cache among them. */
export function promptTokens({ usage }: Said): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

export function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** With its type as the event's name too, as two of the vendors do. */
export function typedEvent(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\n${dataEvent(data)}`;
}
