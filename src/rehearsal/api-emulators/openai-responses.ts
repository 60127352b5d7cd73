/** The OpenAI Responses API, as far as Codex uses it. */
import * as z from 'zod';
import { type JsonObject, objectsFrom, textFrom } from '../../agents/reading/json-line.ts';
import { type Call, type Said, saysAnything } from '../script/said.ts';
import * as api from './api-emulator.ts';
import { invalidRequest, openaiError } from './openai-chat.ts';

export const openaiResponses: api.ApiEmulator = {
  name: 'openai-responses',
  understand({ method, path, body }) {
    if (method !== 'POST' || api.routeOf(path) !== '/responses') return undefined;
    return api.understood(requestSchema, body, invalidRequest, ({ input, instructions, text, ...asked }) => {
      const items = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
      // With its newest models, Codex offers its tools in the middle of the conversation.
      const offers = items.filter(({ type }) => type === 'additional_tools');
      return {
        model: asked.model,
        stream: asked.stream ?? false,
        tools: [asked.tools, ...offers.map(({ tools }) => tools)].flatMap(toolNames),
        lastUserText: api.lastWords(items.map(messageOf)),
        text: api.allWords([instructions, items.filter(({ type }) => type !== 'additional_tools')]),
        answerSchema: text?.format?.schema,
      };
    });
  },
  *events(said, reply) {
    let sequence = 0;
    const event = (type: string, data: object): string =>
      api.typedEvent(type, { sequence_number: sequence++, ...data });
    yield event('response.created', { response: response(said, reply, 'in_progress', []) });
    const output: Item[] = [];
    for (const { item, empty, changes } of parts(said, reply)) {
      const output_index = output.push(item) - 1;
      yield event('response.output_item.added', { output_index, item: empty });
      for (const { type, ...change } of changes) yield event(type, { output_index, item_id: item.id, ...change });
      yield event('response.output_item.done', { output_index, item });
    }
    yield event('response.completed', { response: response(said, reply, 'completed', output) });
  },
  whole(said, reply) {
    const output = [...parts(said, reply)].map(({ item }) => item);
    return response(said, reply, 'completed', output);
  },
  /** Reports a usage limit the way a ChatGPT plan does to Codex. */
  failure({ status, message, resetAt }, reply) {
    if (status !== 429) return { body: openaiError(status, message) };
    const words = message ?? 'The usage limit has been reached';
    const error = { type: 'usage_limit_reached', message: words, plan_type: 'plus' };
    if (resetAt === undefined) return { body: { error } };
    const resets_at = Math.ceil(resetAt / 1000);
    const resets_in_seconds = api.secondsUntil(resetAt, reply);
    const headers = limitHeaders(resets_at, resets_in_seconds);
    return { headers, body: { error: { ...error, resets_at, resets_in_seconds } } };
  },
  windowHeaders({ used, resetInSeconds }, { at }) {
    return planHeaders(used, Math.ceil(at / 1000) + resetInSeconds, resetInSeconds);
  },
};

const itemSchema = z.looseObject({ type: z.string().default('message'), role: z.string().optional() });

const requestSchema = z.object({
  model: z.string(),
  stream: z.boolean().nullish(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(itemSchema)]),
  text: z.looseObject({ format: z.looseObject({ schema: z.unknown().optional() }).nullish() }).nullish(),
  tools: z.array(z.unknown()).nullish(),
});

/** A namespace contains tools; a tool that the vendor runs has a type but no name. */
function toolNames(offered: unknown): readonly string[] {
  return objectsFrom(offered).flatMap(({ type, name, tools }) => {
    if (typeof type !== 'string') return [];
    return Array.isArray(tools) ? toolNames(tools) : [textFrom(name, type)];
  });
}

function messageOf({ type, role, content, output }: z.infer<typeof itemSchema>): api.Message {
  return type.endsWith('_call_output') ? { role: 'tool', content: output } : { role, content };
}

type Item = JsonObject & { readonly type: string };

/** One item of the reply: its final form, its announcement, and what is streamed in between. */
interface Part {
  readonly item: Item;
  readonly empty: Item;
  readonly changes: Iterable<Item>;
}

function* parts(said: Said, reply: api.Reply): Generator<Part> {
  if (said.think) yield reasoning(said.think, reply);
  if (saysAnything(said)) yield message(said.text, reply);
  for (const [call, tool] of said.tools.entries()) yield toolCall(tool, call, reply);
}

function reasoning(text: string, reply: api.Reply): Part {
  const item = { type: 'reasoning', id: `rs_rehearsal_${reply.number}`, encrypted_content: null };
  const part = { type: 'summary_text', text };
  return {
    item: { ...item, summary: [part] },
    empty: { ...item, summary: [] },
    changes: [
      { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', summary_index: 0, delta: text },
      { type: 'response.reasoning_summary_text.done', summary_index: 0, text },
      { type: 'response.reasoning_summary_part.done', summary_index: 0, part },
    ],
  };
}

function message(pieces: Iterable<string>, reply: api.Reply): Part {
  const item = { type: 'message', id: `msg_rehearsal_${reply.number}`, role: 'assistant' };
  const part = (text: string) => ({ type: 'output_text', text, annotations: [] });
  const text = [...pieces].join('');
  function* changes(): Generator<Item> {
    yield { type: 'response.content_part.added', content_index: 0, part: part('') };
    for (const delta of pieces) yield { type: 'response.output_text.delta', content_index: 0, delta };
    yield { type: 'response.output_text.done', content_index: 0, text };
    yield { type: 'response.content_part.done', content_index: 0, part: part(text) };
  }
  return {
    item: { ...item, status: 'completed', content: [part(text)] },
    empty: { ...item, status: 'in_progress', content: [] },
    changes: changes(),
  };
}

/** A tool whose input is a string takes plain text, not JSON. */
function toolCall({ name, input }: Call, call: number, reply: api.Reply): Part {
  const id = `${reply.number}_${call}`;
  const isCustom = typeof input === 'string';
  const [type, prefix, field] = isCustom ? ['custom_tool_call', 'ctc', 'input'] : ['function_call', 'fc', 'arguments'];
  const text = isCustom ? input : JSON.stringify(input);
  const named = isCustom ? { name } : toolName(name);
  const item = { type, id: `${prefix}_rehearsal_${id}`, call_id: `call_rehearsal_${id}`, ...named };
  return {
    item: { ...item, status: 'completed', [field]: text },
    empty: { ...item, status: 'in_progress', [field]: '' },
    changes: [
      { type: `response.${type}_${field}.delta`, delta: text },
      { type: `response.${type}_${field}.done`, [field]: text },
    ],
  };
}

/** Codex keeps some tools in a namespace, which a script writes before a dot; plain names have no dots. */
function toolName(name: string): { readonly namespace?: string; readonly name: string } {
  const dot = name.indexOf('.');
  return dot === -1 ? { name } : { namespace: name.slice(0, dot), name: name.slice(dot + 1) };
}

function response(said: Said, reply: api.Reply, status: string, output: readonly Item[]): object {
  return {
    id: `resp_rehearsal_${reply.number}`,
    object: 'response',
    created_at: Math.floor(reply.at / 1000),
    status,
    error: null,
    incomplete_details: null,
    model: reply.model,
    output,
    usage: status === 'completed' ? usageOf(said) : null,
  };
}

function usageOf(said: Said): object {
  const { usage } = said;
  const input = api.promptTokens(said);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  };
}

const limitHeaders = (resetsAt: number, resetsInSeconds: number) => planHeaders(1, resetsAt, resetsInSeconds);

/** `used` is the share of the five-hour window; the weekly window is half used. */
function planHeaders(used: number, resetsAt: number, resetsInSeconds: number): Record<string, string> {
  const week = 7 * 24 * 3600;
  return {
    'x-codex-active-limit': 'premium',
    'x-codex-plan-type': 'plus',
    'x-codex-primary-used-percent': String(Math.round(used * 100)),
    'x-codex-primary-window-minutes': '300',
    'x-codex-primary-reset-at': String(resetsAt),
    'x-codex-primary-reset-after-seconds': String(resetsInSeconds),
    'x-codex-secondary-used-percent': '50',
    'x-codex-secondary-window-minutes': '10080',
    'x-codex-secondary-reset-at': String(resetsAt + week),
    'x-codex-secondary-reset-after-seconds': String(resetsInSeconds + week),
    'x-codex-credits-has-credits': 'False',
    'x-codex-credits-unlimited': 'False',
  };
}
