/** The Anthropic Messages API, as far as Claude Code uses it. */
import * as z from 'zod';
import type { Instant } from '../../core/time.ts';
import { type Said, saysAnything } from '../script/said.ts';
import * as api from './api-emulator.ts';

export const anthropic: api.ApiEmulator = {
  name: 'anthropic',
  understand({ method, path, body }) {
    if (method !== 'POST') return undefined;
    const route = api.routeOf(path);
    if (route === '/messages/count_tokens') {
      return { kind: 'direct', status: 200, body: { input_tokens: api.estimateTokens(body) } };
    }
    if (route !== '/messages') return undefined;
    return api.understood(
      messagesSchema,
      body,
      invalid,
      ({ model, stream, tools, system, output_config, messages }) => ({
        model,
        stream: stream ?? false,
        tools: tools?.map(({ name }) => name) ?? [],
        // Not just the last message: hooks add messages with the role "system" after it.
        lastUserText: api.wordsOf(messages.findLast((message) => message.role === 'user')?.content),
        text: api.allWords([system, messages]),
        answerSchema: output_config?.format?.schema,
      }),
    );
  },
  *events(said, reply) {
    // The opening usage counts one output token, as the real API's does; the total comes at the end.
    const opening = { ...said, usage: { ...said.usage, outputTokens: 1, reasoningTokens: 0 } };
    yield api.typedEvent('message_start', { message: message(opening, reply, [], null) });
    let index = 0;
    for (const { empty, deltas } of blocks(said, reply)) {
      yield api.typedEvent('content_block_start', { index, content_block: empty });
      for (const delta of deltas) yield api.typedEvent('content_block_delta', { index, delta });
      yield api.typedEvent('content_block_stop', { index: index++ });
    }
    const delta = { stop_reason: stopReason(said), stop_sequence: null };
    yield api.typedEvent('message_delta', { delta, usage: usageOf(said) });
    yield api.typedEvent('message_stop', {});
  },
  whole(said, reply) {
    const content = [...blocks(said, reply)].map(({ whole }) => whole());
    return message(said, reply, content, stopReason(said));
  },
  failure({ status, message, resetAt }, reply) {
    const [type, words] = api.errorKind(ERRORS, status);
    const error = { type, message: message ?? words };
    const body = { type: 'error', error, request_id: `req_rehearsal_${reply.number}` };
    return resetAt === undefined ? { body } : { headers: limitHeaders(resetAt, reply), body };
  },
  windowHeaders({ used, resetInSeconds }, { at }) {
    const reset = String(Math.ceil(at / 1000) + resetInSeconds);
    return {
      'anthropic-ratelimit-unified-status': 'allowed',
      'anthropic-ratelimit-unified-reset': reset,
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-status': 'allowed',
      'anthropic-ratelimit-unified-5h-reset': reset,
      'anthropic-ratelimit-unified-5h-utilization': String(used),
    };
  },
};

const messagesSchema = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  tools: z.array(z.looseObject({ name: z.string().default('') })).optional(),
  system: z.unknown().optional(),
  output_config: z.looseObject({ format: z.looseObject({ schema: z.unknown().optional() }).nullish() }).nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
});

function invalid(message: string): object {
  return { type: 'error', error: { type: 'invalid_request_error', message } };
}

/** One block of the reply: its final form, its announcement, and what is streamed in between. */
interface Block {
  whole(): object;
  readonly empty: object;
  readonly deltas: Iterable<object>;
}

function* blocks(said: Said, { number }: api.Reply): Generator<Block> {
  const { think: thinking, text, tools } = said;
  if (thinking) {
    const signature = `signature_rehearsal_${number}`;
    yield {
      whole: () => ({ type: 'thinking', thinking, signature }),
      empty: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature },
      ],
    };
  }
  function* textDeltas(): Generator<object> {
    for (const piece of text) yield { type: 'text_delta', text: piece };
  }
  // The API has no empty text block: a model that says nothing sends none.
  if (saysAnything(said)) {
    yield {
      whole: () => ({ type: 'text', text: [...text].join('') }),
      empty: { type: 'text', text: '' },
      deltas: textDeltas(),
    };
  }
  for (const [call, { name, input }] of tools.entries()) {
    const block = { type: 'tool_use', id: `toolu_rehearsal_${number}_${call}`, name };
    const deltas = [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }];
    yield { whole: () => ({ ...block, input }), empty: { ...block, input: {} }, deltas };
  }
}

function message(said: Said, reply: api.Reply, content: readonly object[], stop: string | null): unknown {
  return {
    id: `msg_rehearsal_${reply.number}`,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: usageOf(said),
  };
}

function usageOf({ usage }: Said): object {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  };
}

function stopReason({ tools }: Said): string {
  return tools.length > 0 ? 'tool_use' : 'end_turn';
}

const ERRORS = {
  4: ['invalid_request_error', 'Bad request'],
  5: ['api_error', 'Internal server error'],
  400: ['invalid_request_error', 'The request is invalid.'],
  401: ['authentication_error', 'invalid x-api-key'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'The requested resource could not be found.'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', "This request would exceed your account's rate limit. Please try again later."],
  504: ['timeout_error', 'The request timed out.'],
  529: ['overloaded_error', 'Overloaded'],
} as const;

const WEEK = 7 * 24 * 3600;

/** The headers of a subscription whose five-hour window is used up, with no paid usage beyond it. */
function limitHeaders(resetAt: Instant, reply: api.Reply): Record<string, string> {
  const reset = String(Math.ceil(resetAt / 1000));
  return {
    'retry-after': String(api.secondsUntil(resetAt, reply)),
    'x-should-retry': 'true',
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': reset,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-status': 'rejected',
    'anthropic-ratelimit-unified-5h-reset': reset,
    'anthropic-ratelimit-unified-5h-utilization': '1.0',
    'anthropic-ratelimit-unified-7d-status': 'allowed',
    'anthropic-ratelimit-unified-7d-reset': String(Math.ceil(reply.at / 1000) + WEEK),
    'anthropic-ratelimit-unified-7d-utilization': '0.5',
    'anthropic-ratelimit-unified-fallback-percentage': '0.5',
    'anthropic-ratelimit-unified-overage-status': 'rejected',
    'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
  };
}
