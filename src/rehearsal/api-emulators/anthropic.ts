/** The Anthropic Messages API, as far as Claude Code uses it. */
import * as z from 'zod';
import type { Instant } from '../../core/time.ts';
import { type Said, saysAnything } from '../script/said.ts';
import type { Call } from '../script/shell.ts';
import {
  type ErrorKinds,
  errorKind,
  type Reply,
  routeOf,
  secondsUntil,
  typedEvent,
  understood,
  type Wire,
} from './api-emulator.ts';
import { allWords, estimateTokens, wordsOf } from './request-text.ts';

export const anthropic: Wire = {
  name: 'anthropic',
  understand({ method, path, body }) {
    if (method !== 'POST') return undefined;
    const route = routeOf(path);
    if (route === '/messages/count_tokens') {
      return { kind: 'direct', status: 200, body: { input_tokens: estimateTokens(body) } };
    }
    if (route !== '/messages') return undefined;
    return understood(messagesSchema, body, invalid, ({ model, stream, tools, system, output_config, messages }) => ({
      model,
      stream: stream ?? false,
      tools: tools?.map(({ name }) => name) ?? [],
      // Not simply the last message: hooks add messages of the role "system" behind it.
      lastUserText: wordsOf(messages.findLast((message) => message.role === 'user')?.content),
      text: allWords([system, messages]),
      answerSchema: output_config?.format?.schema,
    }));
  },
  *events(said, reply) {
    let index = 0;
    // The opening usage counts one output token, as the real API's does; the total comes at the end.
    const opening = { ...said, usage: { ...said.usage, outputTokens: 1, reasoningTokens: 0 } };
    yield typedEvent({ type: 'message_start', message: message(opening, reply, [], null) });
    if (said.think) {
      const block = { type: 'thinking', thinking: '', signature: '' };
      const deltas = [
        { type: 'thinking_delta', thinking: said.think },
        { type: 'signature_delta', signature: signature(reply) },
      ];
      yield* blockEvents(index++, block, deltas);
    }
    // The API has no empty text block: a model that says nothing sends none.
    if (saysAnything(said)) yield* blockEvents(index++, { type: 'text', text: '' }, textDeltas(said.text));
    for (const [call, tool] of said.tools.entries()) {
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) };
      yield* blockEvents(index++, { ...toolUse(tool, call, reply), input: {} }, [delta]);
    }
    const delta = { stop_reason: stopReason(said), stop_sequence: null };
    yield typedEvent({ type: 'message_delta', delta, usage: usageOf(said) });
    yield typedEvent({ type: 'message_stop' });
  },
  whole(said, reply) {
    const text = [...said.text].join('');
    const content = [
      ...(said.think ? [{ type: 'thinking', thinking: said.think, signature: signature(reply) }] : []),
      ...(text ? [{ type: 'text', text }] : []),
      ...said.tools.map((tool, call) => toolUse(tool, call, reply)),
    ];
    return message(said, reply, content, stopReason(said));
  },
  failure({ status, message, resetAt }, reply) {
    const [type, words] = errorKind(ERRORS, status);
    const error = { type, message: message ?? words };
    return {
      headers: resetAt === undefined ? {} : limitHeaders(resetAt, reply),
      body: { type: 'error', error, request_id: `req_rehearsal_${reply.number}` },
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

function* blockEvents(index: number, block: object, deltas: Iterable<object>): Generator<string> {
  yield typedEvent({ type: 'content_block_start', index, content_block: block });
  for (const delta of deltas) yield typedEvent({ type: 'content_block_delta', index, delta });
  yield typedEvent({ type: 'content_block_stop', index });
}

function* textDeltas(pieces: Iterable<string>): Generator<object> {
  for (const text of pieces) yield { type: 'text_delta', text };
}

function message(said: Said, reply: Reply, content: readonly object[], stop: string | null): unknown {
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

function toolUse({ name, input }: Call, call: number, reply: Reply): object {
  return { type: 'tool_use', id: `toolu_rehearsal_${reply.number}_${call}`, name, input };
}

function signature(reply: Reply): string {
  return `signature_rehearsal_${reply.number}`;
}

function stopReason({ tools }: Said): string {
  return tools.length > 0 ? 'tool_use' : 'end_turn';
}

const ERRORS: ErrorKinds<readonly [type: string, message: string]> = new Map([
  [4, ['invalid_request_error', 'Bad request']],
  [5, ['api_error', 'Internal server error']],
  [400, ['invalid_request_error', 'The request is invalid.']],
  [401, ['authentication_error', 'invalid x-api-key']],
  [403, ['permission_error', 'Your API key does not have permission to use the specified resource.']],
  [404, ['not_found_error', 'The requested resource could not be found.']],
  [413, ['request_too_large', 'Request exceeds the maximum size']],
  [429, ['rate_limit_error', "This request would exceed your account's rate limit. Please try again later."]],
  [504, ['timeout_error', 'The request timed out.']],
  [529, ['overloaded_error', 'Overloaded']],
]);

const WEEK = 7 * 24 * 3600;

/** Those of a subscription whose five hours are used up and which buys nothing beyond them. */
function limitHeaders(resetAt: Instant, reply: Reply): Record<string, string> {
  const reset = String(Math.ceil(resetAt / 1000));
  return {
    'retry-after': String(secondsUntil(resetAt, reply)),
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
