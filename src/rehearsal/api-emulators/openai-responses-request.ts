/** Requests of the OpenAI Responses API: what Codex asks, and which tools it offers. */
import * as z from 'zod';
import type { Ask, WireRequest } from './api-emulator.ts';
import { invalidRequest } from './openai-failure.ts';
import { allWords, wordsOf } from './request-text.ts';
import { routeOf } from './route.ts';

const itemSchema = z.looseObject({ type: z.string().default('message'), role: z.string().optional() });

const requestSchema = z.object({
  model: z.string(),
  stream: z.boolean().nullish(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(itemSchema)]),
  text: z.looseObject({ format: z.looseObject({ schema: z.unknown().optional() }).nullish() }).nullish(),
  tools: z.array(z.unknown()).nullish(),
});

type Input = z.infer<typeof requestSchema>['input'];

const toolSchema = z.looseObject({
  type: z.string(),
  // A tool that the vendor runs has a type and no name.
  name: z.string().optional(),
  tools: z.array(z.unknown()).optional(),
});

export function understandResponses({ method, path, body }: WireRequest): Ask | undefined {
  if (method !== 'POST' || routeOf(path) !== '/responses') return undefined;
  const asked = requestSchema.safeParse(body);
  if (!asked.success) return invalidRequest(z.prettifyError(asked.error));
  const { model, stream, instructions, input, text, tools } = asked.data;
  return {
    kind: 'generate',
    model,
    stream: stream ?? false,
    tools: [...(tools ?? []), ...additionalTools(input)].flatMap(toolNames),
    lastUserText: typeof input === 'string' ? input : lastUserText(input),
    text: allWords([instructions, wordsApart(input)]),
    answerSchema: text?.format?.schema,
  };
}

/** With its newest models Codex offers its tools in the midst of the conversation. */
function additionalTools(input: Input): readonly unknown[] {
  if (typeof input === 'string') return [];
  return input.flatMap(({ type, tools }): unknown[] => (isToolOffer(type) && Array.isArray(tools) ? tools : []));
}

/** A namespace holds tools of its own. */
function toolNames(offered: unknown): readonly string[] {
  const tool = toolSchema.safeParse(offered).data;
  if (!tool) return [];
  return tool.tools ? tool.tools.flatMap(toolNames) : [tool.name ?? tool.type];
}

function wordsApart(input: Input): unknown {
  return typeof input === 'string' ? input : input.filter(({ type }) => !isToolOffer(type));
}

function isToolOffer(type: string): boolean {
  return type === 'additional_tools';
}

/** A user's message, or the results of all calls of the last reply, which are one item each. */
function lastUserText(input: readonly z.infer<typeof itemSchema>[]): string {
  const last = input.findLastIndex((item) => item.role === 'user' || isCallOutput(item));
  const item = input[last];
  if (!item || !isCallOutput(item)) return wordsOf(item?.content);
  const first = input.findLastIndex((item, index) => index < last && !isCallOutput(item)) + 1;
  return input
    .slice(first, last + 1)
    .map((output) => wordsOf(output.output))
    .join('\n');
}

function isCallOutput({ type }: { readonly type: string }): boolean {
  return type.endsWith('_call_output');
}
