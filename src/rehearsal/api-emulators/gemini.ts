/** The Gemini API, as far as the Gemini CLI uses it. */
import * as z from 'zod';
import { type Said, saysAnything } from '../script/said.ts';
import type { Ask, Reply, Wire, WireRequest } from './api-emulator.ts';
import { geminiError, geminiFailure } from './gemini-failure.ts';
import { allWords, estimateTokens } from './request-text.ts';
import { routeOf } from './route.ts';
import { dataEvent } from './server-sent-event.ts';

export const gemini: Wire = { name: 'gemini', understand, events, whole, failure: geminiFailure };

type Part = Readonly<Record<string, unknown>>;

const contentSchema = z.looseObject({ role: z.string().optional(), parts: z.array(z.looseObject({})).optional() });

const requestSchema = z.object({
  contents: z.array(contentSchema),
  systemInstruction: z.unknown().optional(),
  generationConfig: z
    .looseObject({ responseJsonSchema: z.unknown().optional(), responseSchema: z.unknown().optional() })
    .optional(),
  // Tools that the vendor runs, such as its search, have no declarations.
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional() }))
    .optional(),
});

const ROUTE = /^\/models\/(?<model>[^/:]+):(?<verb>\w+)$/;

function understand({ method, path, body }: WireRequest): Ask | undefined {
  const { model, verb } = ROUTE.exec(routeOf(path))?.groups ?? {};
  if (method !== 'POST' || model === undefined) return undefined;
  if (verb === 'countTokens') return { kind: 'direct', status: 200, body: { totalTokens: estimateTokens(body) } };
  if (verb !== 'generateContent' && verb !== 'streamGenerateContent') return undefined;
  const asked = requestSchema.safeParse(body);
  if (!asked.success) {
    return { kind: 'direct', status: 400, body: geminiError(400, 'INVALID_ARGUMENT', z.prettifyError(asked.error)) };
  }
  const { contents, systemInstruction, generationConfig, tools } = asked.data;
  const last = contents.findLast(({ role }) => role !== 'model');
  return {
    kind: 'generate',
    model,
    stream: verb === 'streamGenerateContent',
    tools: tools?.flatMap((tool) => tool.functionDeclarations?.map(({ name }) => name) ?? []) ?? [],
    lastUserText: last?.parts?.map(wordsOfPart).join('\n') ?? '',
    text: allWords([systemInstruction, contents]),
    answerSchema: generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema,
  };
}

/** A function's response has any shape; its name and its call's identifier are no words of the user. */
function wordsOfPart({ text, functionResponse }: Part): string {
  if (typeof text === 'string') return text;
  if (typeof functionResponse !== 'object' || functionResponse === null) return '';
  return 'response' in functionResponse ? allWords(functionResponse.response) : '';
}

function* events(said: Said, reply: Reply): Generator<string> {
  if (said.think) yield dataEvent(response(reply, [thought(said)]));
  for (const text of said.text) yield dataEvent(response(reply, [{ text }]));
  yield dataEvent({ ...response(reply, calls(said), 'STOP'), usageMetadata: usageOf(said) });
}

function whole(said: Said, reply: Reply): unknown {
  const parts = [
    ...(said.think ? [thought(said)] : []),
    ...(saysAnything(said) ? [{ text: [...said.text].join('') }] : []),
    ...calls(said),
  ];
  return { ...response(reply, parts, 'STOP'), usageMetadata: usageOf(said) };
}

function response(reply: Reply, parts: readonly Part[], finishReason?: string): object {
  return {
    candidates: [{ content: { role: 'model', parts }, ...(finishReason && { finishReason }), index: 0 }],
    modelVersion: reply.model,
    responseId: `rehearsal-${reply.number}`,
  };
}

function thought({ think }: Said): Part {
  return { text: think, thought: true };
}

function calls({ tools }: Said): readonly Part[] {
  return tools.map(({ name, input }) => ({ functionCall: { name, args: input } }));
}

function usageOf({ usage }: Said): object {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: usage.cacheReadTokens,
    candidatesTokenCount: Math.max(0, usage.outputTokens - usage.reasoningTokens),
    thoughtsTokenCount: usage.reasoningTokens,
    totalTokenCount: prompt + usage.outputTokens,
  };
}
