/** Errors as Google sends them. */
import type { Failure, FailureReply, Reply } from './api-emulator.ts';

type Kind = readonly [status: string, message: string];

const OVERLOADED: Kind = ['UNAVAILABLE', 'The model is overloaded. Please try again later.'];

const KINDS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [400, ['INVALID_ARGUMENT', 'The request is invalid.']],
  [401, ['UNAUTHENTICATED', 'Request had invalid authentication credentials.']],
  [403, ['PERMISSION_DENIED', 'The caller does not have permission']],
  [404, ['NOT_FOUND', 'Requested entity was not found.']],
  [500, ['INTERNAL', 'An internal error has occurred. Please retry or report in Troubleshooting']],
  [503, OVERLOADED],
  [504, ['DEADLINE_EXCEEDED', 'The request timed out. Please try again.']],
  [529, OVERLOADED],
]);

export function geminiFailure(failure: Failure, reply: Reply): FailureReply {
  const { status, message } = failure;
  if (status === 429) return { headers: {}, body: exhausted(failure, reply) };
  const [name, words] =
    KINDS.get(status) ?? (status < 500 ? ['INVALID_ARGUMENT', 'Bad request'] : ['INTERNAL', 'Error']);
  return { headers: {}, body: geminiError(status, name, message ?? words) };
}

export function geminiError(code: number, status: string, message: string, details?: readonly object[]): object {
  return { error: { code, message, status, ...(details && { details }) } };
}

const RPC = 'type.googleapis.com/google.rpc.';

/** Longer than this, and it is a day's quota that is used up; a minute's comes back sooner. */
const MINUTE = 60;

function exhausted({ message, resetAt }: Failure, reply: Reply): object {
  const seconds = resetAt === undefined ? undefined : Math.max(0, Math.ceil((resetAt - reply.at) / 1000));
  const period = seconds !== undefined && seconds <= MINUTE ? 'PerMinute' : 'PerDay';
  const metric = 'generativelanguage.googleapis.com/generate_content_free_tier_requests';
  const violation = {
    quotaMetric: metric,
    quotaId: `GenerateRequests${period}PerProjectPerModel-FreeTier`,
    quotaDimensions: { location: 'global', model: reply.model },
    quotaValue: '250',
  };
  const words = [
    'You exceeded your current quota, please check your plan and billing details.',
    `* Quota exceeded for metric: ${metric}, limit: 250, model: ${reply.model}`,
    ...(seconds === undefined ? [] : [`Please retry in ${seconds}s.`]),
  ].join('\n');
  return geminiError(429, 'RESOURCE_EXHAUSTED', message ?? words, [
    { '@type': `${RPC}QuotaFailure`, violations: [violation] },
    ...(seconds === undefined ? [] : [{ '@type': `${RPC}RetryInfo`, retryDelay: `${seconds}s` }]),
  ]);
}
