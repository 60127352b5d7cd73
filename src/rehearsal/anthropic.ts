/** The Anthropic Messages API, as far as Claude Code uses it. */
import * as z from 'zod';
import { type Turn, toolsOf, type Usage } from './script.ts';
import type { Ask, Reply, Wire, WireRequest } from './wire.ts';

export const anthropic: Wire = { name: 'anthropic', understand, events, whole };

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

/** What a turn that names no usage costs; not zero, so that a report shows that usage arrives. */
const DEFAULT_USAGE: Usage = { inputTokens: 100, outputTokens: 20 };

const messagesSchema = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  tools: z.array(z.unknown()).optional(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
});

function understand({ method, path, body }: WireRequest): Ask | undefined {
  const route = path.split('?')[0];
  if (method !== 'POST') return undefined;
  if (route === '/v1/messages/count_tokens')
    return { kind: 'direct', status: 200, body: { input_tokens: estimate(body) } };
  if (route !== '/v1/messages') return undefined;
  const asked = messagesSchema.safeParse(body);
  if (!asked.success) return invalid(z.prettifyError(asked.error));
  const { model, stream, tools, messages } = asked.data;
  return {
    kind: 'generate',
    model,
    stream: stream ?? false,
    offersTools: (tools?.length ?? 0) > 0,
    // Not simply the last message: hooks add messages of the role "system" behind it.
    lastUserText: textOf(messages.findLast((message) => message.role === 'user')?.content),
  };
}

function events(turn: Turn, reply: Reply): readonly string[] {
  const usage = turn.usage ?? DEFAULT_USAGE;
  const blocks = blocksOf(turn, reply);
  return [
    // The opening usage counts one output token, as the real API's does; the total comes at the end.
    event({ type: 'message_start', message: message(reply, [], null, { ...usage, outputTokens: 1 }) }),
    ...blocks.flatMap((block, index) => [
      event({ type: 'content_block_start', index, content_block: emptied(block) }),
      event({ type: 'content_block_delta', index, delta: deltaOf(block) }),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: stopReason(blocks), stop_sequence: null },
      usage: { output_tokens: usage.outputTokens },
    }),
    event({ type: 'message_stop' }),
  ];
}

function whole(turn: Turn, reply: Reply): unknown {
  const blocks = blocksOf(turn, reply);
  return message(reply, blocks, stopReason(blocks), turn.usage ?? DEFAULT_USAGE);
}

function message(reply: Reply, content: readonly Block[], stop: string | null, usage: Usage): unknown {
  return {
    id: `msg_rehearsal_${reply.number}`,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: {
      input_tokens: usage.inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: usage.outputTokens,
    },
  };
}

function blocksOf(turn: Turn, reply: Reply): readonly Block[] {
  const tools = toolsOf(turn).map(
    ({ name, input }, index): Block => ({
      type: 'tool_use',
      id: `toolu_rehearsal_${reply.number}_${index}`,
      name,
      input,
    }),
  );
  // The API has no empty text block: a model that says nothing sends none.
  return turn.say ? [{ type: 'text', text: turn.say }, ...tools] : tools;
}

function emptied(block: Block): Block {
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
}

function deltaOf(block: Block): unknown {
  if (block.type === 'text') return { type: 'text_delta', text: block.text };
  return { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
}

function stopReason(blocks: readonly Block[]): string {
  return blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The words in a message's content: its texts, and those of tool results inside it. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (typeof content !== 'object' || content === null) return '';
  if ('text' in content) return textOf(content.text);
  return 'content' in content ? textOf(content.content) : '';
}

/** About four characters make a token; an agent only wants to know whether the context is nearly full. */
function estimate(body: unknown): number {
  return Math.ceil(JSON.stringify(body).length / 4);
}

function invalid(why: string): Ask {
  return {
    kind: 'direct',
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error', message: why } },
  };
}
