/** Errors as OpenAI sends them on any of its APIs. */
import type { Direct } from './api-emulator.ts';

interface ErrorKind {
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
}

const OVERLOADED: ErrorKind = {
  type: 'server_error',
  code: 'server_is_overloaded',
  message: 'The server is currently overloaded with other requests. Sorry about that! Please try again later.',
};

const KINDS: ReadonlyMap<number, ErrorKind> = new Map([
  [401, { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key provided: dummy.' }],
  [403, { type: 'invalid_request_error', code: null, message: 'You do not have access to this resource.' }],
  [404, { type: 'invalid_request_error', code: 'model_not_found', message: 'The model does not exist.' }],
  [503, OVERLOADED],
  [529, OVERLOADED],
]);

const BAD_REQUEST: ErrorKind = { type: 'invalid_request_error', code: null, message: 'The request is invalid.' };

const SERVER_ERROR: ErrorKind = {
  type: 'server_error',
  code: null,
  message: 'The server had an error while processing your request. Sorry about that!',
};

export function openaiError(status: number, message: string | undefined): object {
  const kind = KINDS.get(status) ?? (status < 500 ? BAD_REQUEST : SERVER_ERROR);
  return { error: { message: message ?? kind.message, type: kind.type, param: null, code: kind.code } };
}

export function invalidRequest(why: string): Direct {
  return { kind: 'direct', status: 400, body: openaiError(400, why) };
}
