/** Errors of the Responses API; a usage limit is told as to Codex with a ChatGPT plan. */
import type { Instant } from '../../core/time.ts';
import type { Failure, FailureReply, Reply } from './api-emulator.ts';
import { openaiError } from './openai-failure.ts';

const SECOND = 1000;

export function responsesFailure({ status, message, resetAt }: Failure, reply: Reply): FailureReply {
  if (status !== 429) return { headers: {}, body: openaiError(status, message) };
  const limit = {
    type: 'usage_limit_reached',
    message: message ?? 'The usage limit has been reached',
    plan_type: 'plus',
  };
  if (resetAt === undefined) return { headers: {}, body: { error: limit } };
  const resets_at = Math.ceil(resetAt / SECOND);
  const resets_in_seconds = Math.max(0, Math.ceil((resetAt - reply.at) / SECOND));
  return {
    headers: limitHeaders(resetAt, resets_in_seconds),
    body: { error: { ...limit, resets_at, resets_in_seconds } },
  };
}

/** The first window, of five hours, is used up; the second, of a week, is not. */
function limitHeaders(resetAt: Instant, resetsInSeconds: number): Record<string, string> {
  const week = 7 * 24 * 3600;
  return {
    'x-codex-active-limit': 'premium',
    'x-codex-plan-type': 'plus',
    'x-codex-primary-used-percent': '100',
    'x-codex-primary-window-minutes': '300',
    'x-codex-primary-reset-at': String(Math.ceil(resetAt / SECOND)),
    'x-codex-primary-reset-after-seconds': String(resetsInSeconds),
    'x-codex-secondary-used-percent': '50',
    'x-codex-secondary-window-minutes': '10080',
    'x-codex-secondary-reset-at': String(Math.ceil(resetAt / SECOND) + week),
    'x-codex-secondary-reset-after-seconds': String(resetsInSeconds + week),
    'x-codex-credits-has-credits': 'False',
    'x-codex-credits-unlimited': 'False',
  };
}
