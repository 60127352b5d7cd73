/** JSON-RPC 2.0 as MCP uses it: parses the lines of a client and makes the answers. Pure. */
import { isFields, parsedJson } from '../core/text/json.ts';

/** MCP does not allow null, and fractions are hard to compare. */
export type Id = string | number;
export type Params = Readonly<Record<string, unknown>>;

export type Message =
  | { readonly is: 'request'; readonly id: Id; readonly method: string; readonly params: Params }
  | { readonly is: 'notification'; readonly method: string; readonly params: Params }
  /** Ignored: this server sends no requests. */
  | { readonly is: 'response' }
  | { readonly is: 'invalid'; readonly id: Id | null; readonly why: string };

/** One message, a batch of them (only some versions allow that), or text that is not JSON. */
export type Line =
  | { readonly holds: 'one'; readonly message: Message }
  | { readonly holds: 'batch'; readonly messages: readonly Message[] }
  | { readonly holds: 'no-json' };

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

/** Rejects a request. A tool that could not do its work is not an RPC error: that goes into its result. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export function readLine(text: string): Line {
  const value = parsedJson(text);
  if (value === undefined) return { holds: 'no-json' };
  if (!Array.isArray(value)) return { holds: 'one', message: messageOf(value) };
  const invalid = { is: 'invalid', id: null, why: 'a batch must not be empty' } as const;
  return value.length === 0
    ? { holds: 'one', message: invalid }
    : { holds: 'batch', messages: value.map((one: unknown) => messageOf(one)) };
}

function messageOf(value: unknown): Message {
  if (!isFields(value)) return { is: 'invalid', id: null, why: 'a message must be an object' };
  const { jsonrpc, id, method, params = {} } = value;
  const known = isId(id) ? id : null;
  const invalid = (why: string): Message => ({ is: 'invalid', id: known, why });
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"');
  if (method === undefined && ('result' in value || 'error' in value)) return { is: 'response' };
  if (typeof method !== 'string') return invalid('method must be a text');
  if (!isFields(params)) return invalid('params must be an object');
  if (!('id' in value)) return { is: 'notification', method, params };
  return known === null
    ? invalid(`id must be a text of at most ${LONGEST_ID} characters, or a whole number`)
    : { is: 'request', id: known, method, params };
}

/** The answer and the record contain the id. */
const LONGEST_ID = 100;

export const isId = (value: unknown): value is Id =>
  typeof value === 'string' ? value.length <= LONGEST_ID : Number.isSafeInteger(value);

export interface Answer {
  readonly jsonrpc: '2.0';
  readonly id: Id | null;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string };
}

export const answer = (id: Id, result: object): Answer => ({ jsonrpc: '2.0', id, result });

export const failure = (id: Id | null, code: number, message: string): Answer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
