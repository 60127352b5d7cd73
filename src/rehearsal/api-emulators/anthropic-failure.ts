/** Errors as Anthropic sends them. */
import type { Instant } from '../../core/time.ts';
import type { Failure, FailureReply, Reply } from './api-emulator.ts';

const SECOND = 1000;
const WEEK = 7 * 24 * 3600 * SECOND;

const KINDS: ReadonlyMap<number, readonly [type: string, message: string]> = new Map([
  [400, ['invalid_request_error', 'The request is invalid.']],
  [401, ['authentication_error', 'invalid x-api-key']],
  [403, ['permission_error', 'Your API key does not have permission to use the specified resource.']],
  [404, ['not_found_error', 'The requested resource could not be found.']],
  [413, ['request_too_large', 'Request exceeds the maximum size']],
  [429, ['rate_limit_error', "This request would exceed your account's rate limit. Please try again later."]],
  [500, ['api_error', 'Internal server error']],
  [504, ['timeout_error', 'The request timed out.']],
  [529, ['overloaded_error', 'Overloaded']],
]);

export function anthropicFailure({ status, message, resetAt }: Failure, reply: Reply): FailureReply {
  const [type, words] = KINDS.get(status) ?? (status < 500 ? ['invalid_request_error', 'Bad request'] : SERVER);
  return {
    headers: resetAt === undefined ? {} : limitHeaders(resetAt, reply.at),
    body: {
      type: 'error',
      error: { type, message: message ?? words },
      request_id: `req_rehearsal_${reply.number}`,
    },
  };
}

const SERVER = ['api_error', 'Internal server error'] as const;

/** Those of a subscription whose five hours are used up and which buys nothing beyond them. */
function limitHeaders(resetAt: Instant, now: Instant): Record<string, string> {
  const reset = String(Math.ceil(resetAt / SECOND));
  return {
    'retry-after': String(Math.max(0, Math.ceil((resetAt - now) / SECOND))),
    'x-should-retry': 'true',
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': reset,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-status': 'rejected',
    'anthropic-ratelimit-unified-5h-reset': reset,
    'anthropic-ratelimit-unified-5h-utilization': '1.0',
    'anthropic-ratelimit-unified-7d-status': 'allowed',
    'anthropic-ratelimit-unified-7d-reset': String(Math.ceil((now + WEEK) / SECOND)),
    'anthropic-ratelimit-unified-7d-utilization': '0.5',
    'anthropic-ratelimit-unified-fallback-percentage': '0.5',
    'anthropic-ratelimit-unified-overage-status': 'rejected',
    'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
  };
}
