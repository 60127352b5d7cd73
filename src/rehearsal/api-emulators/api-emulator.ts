/** The contract of one model API: how its requests are understood and how a reply is said in its words. */
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
  /** All instructions and messages; not the tools' descriptions, which say much that nobody asked for. */
  readonly text: string;
  /** The JSON Schema that the answer must have; undefined for an answer in words. */
  readonly answerSchema: unknown;
}

/** Needs no turn: counted tokens, a refusal. */
export interface Direct {
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
