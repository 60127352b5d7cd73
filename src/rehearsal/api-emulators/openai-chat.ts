/** OpenAI's chat completions, which opencode, Copilot, Qwen and pi speak to any vendor. */
import * as z from 'zod';
import { type Said, saysAnything } from '../script/said.ts';
import type { Call } from '../script/shell-tool.ts';
import type { Ask, Reply, Wire, WireRequest } from './api-emulator.ts';
import { chatFailure } from './openai-chat-failure.ts';
import { invalidRequest } from './openai-failure.ts';
import { allWords, wordsOf } from './request-text.ts';
import { routeOf } from './route.ts';
import { dataEvent } from './server-sent-event.ts';

export const openaiChat: Wire = { name: 'openai-chat', understand, events, whole, failure: chatFailure };

const messageSchema = z.looseObject({ role: z.string(), content: z.unknown().optional() });

const requestSchema = z.object({
  model: z.string(),
  stream: z.boolean().nullish(),
  messages: z.array(messageSchema),
  response_format: z
    .looseObject({ json_schema: z.looseObject({ schema: z.unknown().optional() }).nullish() })
    .nullish(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string().default('') }).optional() })).nullish(),
});

function understand({ method, path, body }: WireRequest): Ask | undefined {
  if (method !== 'POST' || routeOf(path) !== '/chat/completions') return undefined;
  const asked = requestSchema.safeParse(body);
  if (!asked.success) return invalidRequest(z.prettifyError(asked.error));
  const { model, stream, messages, response_format, tools } = asked.data;
  return {
    kind: 'generate',
    model,
    stream: stream ?? false,
    tools: tools?.map((tool) => tool.function?.name ?? '') ?? [],
    lastUserText: lastUserText(messages),
    text: allWords(messages),
    answerSchema: response_format?.json_schema?.schema,
  };
}

/** A user's message, or the results of all calls of the last reply, which are one message each. */
function lastUserText(messages: readonly z.infer<typeof messageSchema>[]): string {
  const last = messages.findLastIndex(({ role }) => role === 'user' || role === 'tool');
  const message = messages[last];
  if (message?.role !== 'tool') return wordsOf(message?.content);
  const first = messages.findLastIndex(({ role }, index) => index < last && role !== 'tool') + 1;
  return messages
    .slice(first, last + 1)
    .map(({ content }) => wordsOf(content))
    .join('\n');
}

function* events(said: Said, reply: Reply): Generator<string> {
  yield chunk(reply, { role: 'assistant', content: '' });
  // Not in OpenAI's own API; it is the name under which the others send it.
  if (said.think) yield chunk(reply, { reasoning_content: said.think });
  for (const content of said.text) yield chunk(reply, { content });
  for (const [index, tool] of said.tools.entries()) {
    yield chunk(reply, { tool_calls: [{ index, ...toolCall(tool, index, reply) }] });
  }
  yield chunk(reply, {}, finishReason(said));
  // The usage stands behind the choices, in a chunk without any.
  yield dataEvent({ ...head(reply, 'chat.completion.chunk'), choices: [], usage: usageOf(said) });
  yield 'data: [DONE]\n\n';
}

function chunk(reply: Reply, delta: object, finish: string | null = null): string {
  return dataEvent({
    ...head(reply, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
}

function whole(said: Said, reply: Reply): unknown {
  const message = {
    role: 'assistant',
    content: saysAnything(said) ? [...said.text].join('') : null,
    ...(said.think && { reasoning_content: said.think }),
    ...(said.tools.length > 0 && { tool_calls: said.tools.map((tool, index) => toolCall(tool, index, reply)) }),
  };
  return {
    ...head(reply, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(said) }],
    usage: usageOf(said),
  };
}

function head(reply: Reply, object: string): object {
  return {
    id: `chatcmpl-rehearsal-${reply.number}`,
    object,
    created: Math.floor(reply.at / 1000),
    model: reply.model,
  };
}

function toolCall({ name, input }: Call, index: number, reply: Reply): object {
  return {
    id: `call_rehearsal_${reply.number}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  };
}

function finishReason({ tools }: Said): string {
  return tools.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage }: Said): object {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
