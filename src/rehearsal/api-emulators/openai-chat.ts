/** OpenAI's chat completions API, which opencode, Copilot, Qwen and pi use with any vendor. */
import * as z from 'zod';
import { type Call, type Said, saysAnything } from '../script/said.ts';
import * as api from './api-emulator.ts';

export const openaiChat: api.ApiEmulator = {
  name: 'openai-chat',
  understand({ method, path, body }) {
    if (method !== 'POST' || api.routeOf(path) !== '/chat/completions') return undefined;
    return api.understood(
      requestSchema,
      body,
      invalidRequest,
      ({ model, stream, messages, response_format, tools }) => ({
        model,
        stream: stream ?? false,
        tools: tools?.map((tool) => tool.function?.name ?? '') ?? [],
        lastUserText: api.lastWords(messages),
        text: api.allWords(messages),
        answerSchema: response_format?.json_schema?.schema,
      }),
    );
  },
  *events(said, reply) {
    yield chunk(reply, { role: 'assistant', content: '' });
    // Not part of OpenAI's own API; other vendors use this name.
    if (said.think) yield chunk(reply, { reasoning_content: said.think });
    for (const content of said.text) yield chunk(reply, { content });
    for (const [index, tool] of said.tools.entries()) {
      yield chunk(reply, { tool_calls: [{ index, ...toolCall(tool, index, reply) }] });
    }
    yield chunk(reply, {}, finishReason(said));
    // The usage comes after the choices, in a chunk without any.
    yield api.dataEvent({ ...head(reply, 'chat.completion.chunk'), choices: [], usage: usageOf(said) });
    yield 'data: [DONE]\n\n';
  },
  whole(said, reply) {
    const message = {
      role: 'assistant',
      content: saysAnything(said) ? [...said.text].join('') : null,
      ...(said.think && { reasoning_content: said.think }),
      ...(said.tools.length > 0 && { tool_calls: said.tools.map((tool, index) => toolCall(tool, index, reply)) }),
    };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason(said) }];
    return { ...head(reply, 'chat.completion'), choices, usage: usageOf(said) };
  },
  /** A 429 with a reset is a rate limit; one without is an exhausted quota, which waiting does not restore. */
  failure({ status, message, resetAt }, reply) {
    if (status !== 429) return { body: openaiError(status, message) };
    if (resetAt === undefined) return { body: errorBody([QUOTA, QUOTA, OUT_OF_QUOTA], message) };
    const seconds = api.secondsUntil(resetAt, reply);
    const words = `Rate limit reached for ${reply.model}. Please try again in ${seconds}s.`;
    return {
      headers: {
        'retry-after': String(seconds),
        'retry-after-ms': String(seconds * 1000),
        'x-ratelimit-limit-requests': '10000',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': `${seconds}s`,
      },
      body: errorBody(['requests', 'rate_limit_exceeded', words], message),
    };
  },
};

const requestSchema = z.object({
  model: z.string(),
  stream: z.boolean().nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
  response_format: z
    .looseObject({ json_schema: z.looseObject({ schema: z.unknown().optional() }).nullish() })
    .nullish(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string().default('') }).optional() })).nullish(),
});

function chunk(reply: api.Reply, delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return api.dataEvent({ ...head(reply, 'chat.completion.chunk'), choices });
}

function head({ number, at, model }: api.Reply, object: string): object {
  return { id: `chatcmpl-rehearsal-${number}`, object, created: Math.floor(at / 1000), model };
}

function toolCall({ name, input }: Call, index: number, { number }: api.Reply): object {
  const id = `call_rehearsal_${number}_${index}`;
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function finishReason({ tools }: Said): string {
  return tools.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf(said: Said): object {
  const { usage } = said;
  const prompt = api.promptTokens(said);
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

const QUOTA = 'insufficient_quota';
const OUT_OF_QUOTA = 'You exceeded your current quota, please check your plan and billing details.';
const OVERLOADED = [
  'server_error',
  'server_is_overloaded',
  'The server is currently overloaded with other requests. Sorry about that! Please try again later.',
] as const;

const ERRORS = {
  4: ['invalid_request_error', null, 'The request is invalid.'],
  5: ['server_error', null, 'The server had an error while processing your request. Sorry about that!'],
  401: ['invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: dummy.'],
  403: ['invalid_request_error', null, 'You do not have access to this resource.'],
  404: ['invalid_request_error', 'model_not_found', 'The model does not exist.'],
  503: OVERLOADED,
  529: OVERLOADED,
} as const;

export function openaiError(status: number, message: string | undefined): object {
  return errorBody(api.errorKind(ERRORS, status), message);
}

export function invalidRequest(why: string): object {
  return openaiError(400, why);
}

function errorBody([type, code, words]: readonly [string, string | null, string], message = words): object {
  return { error: { message, type, param: null, code } };
}
