/** Errors of chat completions. */
import type { Failure, FailureReply, Reply } from './api-emulator.ts';
import { openaiError } from './openai-failure.ts';

/** A 429 with a reset is a rate limit; one without is a used-up quota, which no waiting brings back. */
export function chatFailure({ status, message, resetAt }: Failure, reply: Reply): FailureReply {
  if (status !== 429) return { headers: {}, body: openaiError(status, message) };
  if (resetAt === undefined) return { headers: {}, body: quota(message) };
  const seconds = Math.max(0, Math.ceil((resetAt - reply.at) / 1000));
  return {
    headers: {
      'retry-after': String(seconds),
      'retry-after-ms': String(seconds * 1000),
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': `${seconds}s`,
    },
    body: rateLimit(message ?? `Rate limit reached for ${reply.model}. Please try again in ${seconds}s.`),
  };
}

function rateLimit(message: string): object {
  return { error: { message, type: 'requests', param: null, code: 'rate_limit_exceeded' } };
}

function quota(message = 'You exceeded your current quota, please check your plan and billing details.'): object {
  return { error: { message, type: 'insufficient_quota', param: null, code: 'insufficient_quota' } };
}
