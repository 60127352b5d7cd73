/** The contract of one model API: how its requests are understood and how a turn is said in its words. */
import type { Turn } from './script.ts';

export interface Wire {
  readonly name: string;
  /** Undefined when the request is not of this API. */
  understand(request: WireRequest): Ask | undefined;
  /** The reply as server-sent events, one string each, so that a fault can fall between or inside them. */
  events(turn: Turn, reply: Reply): readonly string[];
  /** The same reply in one piece, for a request that does not stream. */
  whole(turn: Turn, reply: Reply): unknown;
}

export interface WireRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Parsed JSON; the raw text when it is not JSON; null when there was none. */
  readonly body: unknown;
}

export type Ask =
  | {
      readonly kind: 'generate';
      readonly model: string;
      readonly stream: boolean;
      /** Only the agent's main loop offers tools; titles, summaries and quota probes do not. */
      readonly offersTools: boolean;
      readonly lastUserText: string;
    }
  /** Needs no turn: counted tokens, a refusal. */
  | { readonly kind: 'direct'; readonly status: number; readonly body: unknown };

export interface Reply {
  /** Unique in one server; identifiers in the reply are made from it. */
  readonly number: number;
  readonly model: string;
}
