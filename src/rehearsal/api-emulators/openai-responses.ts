/** The OpenAI Responses API, as far as Codex uses it. */
import { type Said, saysAnything } from '../script/said.ts';
import type { Call } from '../script/shell-tool.ts';
import type { Reply, Wire } from './api-emulator.ts';
import { responsesFailure } from './openai-responses-failure.ts';
import { understandResponses } from './openai-responses-request.ts';
import { typedEvent } from './server-sent-event.ts';

export const openaiResponses: Wire = {
  name: 'openai-responses',
  understand: understandResponses,
  events,
  whole,
  failure: responsesFailure,
};

type Item = Readonly<Record<string, unknown>> & { readonly type: string };

function* events(said: Said, reply: Reply): Generator<string> {
  let sequence = 0;
  const event = (type: string, data: object): string => typedEvent({ type, sequence_number: sequence++, ...data });
  yield event('response.created', { response: response(said, reply, 'in_progress', []) });
  const output: Item[] = [];
  for (const { item, empty, changes } of parts(said, reply)) {
    const output_index = output.push(item) - 1;
    yield event('response.output_item.added', { output_index, item: empty });
    for (const { type, ...change } of changes) yield event(type, { output_index, item_id: item.id, ...change });
    yield event('response.output_item.done', { output_index, item });
  }
  yield event('response.completed', { response: response(said, reply, 'completed', output) });
}

function whole(said: Said, reply: Reply): unknown {
  const output = [...parts(said, reply)].map(({ item }) => item);
  return response(said, reply, 'completed', output);
}

/** One item of the reply: as it ends, as it is announced, and what is streamed in between. */
interface Part {
  readonly item: Item;
  readonly empty: Item;
  readonly changes: Iterable<Item>;
}

function* parts(said: Said, reply: Reply): Generator<Part> {
  if (said.think) yield reasoning(said.think, reply);
  if (saysAnything(said)) yield message(said.text, reply);
  for (const [call, tool] of said.tools.entries()) yield toolCall(tool, call, reply);
}

function reasoning(text: string, reply: Reply): Part {
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

function message(pieces: Iterable<string>, reply: Reply): Part {
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

function toolCall({ name, input }: Call, call: number, reply: Reply): Part {
  const id = `${reply.number}_${call}`;
  if (typeof input === 'string') return customCall(name, input, id);
  const item = { type: 'function_call', id: `fc_rehearsal_${id}`, call_id: `call_rehearsal_${id}`, ...toolName(name) };
  const args = JSON.stringify(input);
  return {
    item: { ...item, status: 'completed', arguments: args },
    empty: { ...item, status: 'in_progress', arguments: '' },
    changes: [
      { type: 'response.function_call_arguments.delta', delta: args },
      { type: 'response.function_call_arguments.done', arguments: args },
    ],
  };
}

/** Codex keeps some tools in a namespace, which a script writes before a dot; no plain name can hold one. */
function toolName(name: string): { readonly namespace?: string; readonly name: string } {
  const dot = name.indexOf('.');
  return dot === -1 ? { name } : { namespace: name.slice(0, dot), name: name.slice(dot + 1) };
}

/** A tool of this kind takes any text, no JSON. */
function customCall(name: string, input: string, id: string): Part {
  const item = { type: 'custom_tool_call', id: `ctc_rehearsal_${id}`, call_id: `call_rehearsal_${id}`, name };
  return {
    item: { ...item, status: 'completed', input },
    empty: { ...item, status: 'in_progress', input: '' },
    changes: [
      { type: 'response.custom_tool_call_input.delta', delta: input },
      { type: 'response.custom_tool_call_input.done', input },
    ],
  };
}

function response(said: Said, reply: Reply, status: string, output: readonly Item[]): object {
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

function usageOf({ usage }: Said): object {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  };
}
