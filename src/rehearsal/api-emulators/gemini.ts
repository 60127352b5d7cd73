/** The Gemini API, as far as the Gemini CLI uses it. */
import * as z from 'zod';
import { type JsonObject, objectFrom } from '../../agents/reading/json-line.ts';
import { type Said, saysAnything } from '../script/said.ts';
import * as api from './api-emulator.ts';

export const gemini: api.ApiEmulator = {
  name: 'gemini',
  understand({ method, path, body }) {
    const { model, verb } = ROUTE.exec(api.routeOf(path))?.groups ?? {};
    if (method !== 'POST' || model === undefined) return undefined;
    if (verb === 'countTokens') return { kind: 'direct', status: 200, body: { totalTokens: api.estimateTokens(body) } };
    if (verb !== 'generateContent' && verb !== 'streamGenerateContent') return undefined;
    const refuse = (why: string): object => errorBody(400, 'INVALID_ARGUMENT', why);
    return api.understood(requestSchema, body, refuse, ({ contents, systemInstruction, generationConfig, tools }) => ({
      model,
      stream: verb === 'streamGenerateContent',
      tools: tools?.flatMap((tool) => tool.functionDeclarations?.map(({ name }) => name) ?? []) ?? [],
      lastUserText: (contents.findLast(({ role }) => role !== 'model')?.parts ?? []).map(wordsOfPart).join('\n'),
      text: api.allWords([systemInstruction, contents]),
      answerSchema: generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema,
    }));
  },
  *events(said, reply) {
    for (const part of thoughts(said)) yield api.dataEvent(response(reply, [part]));
    for (const text of said.text) yield api.dataEvent(response(reply, [{ text }]));
    yield api.dataEvent(lastResponse(said, reply, calls(said)));
  },
  whole(said, reply) {
    const text = saysAnything(said) ? [{ text: [...said.text].join('') }] : [];
    return lastResponse(said, reply, [...thoughts(said), ...text, ...calls(said)]);
  },
  failure(failure, reply) {
    const { status, message } = failure;
    if (status === 429) return { body: exhausted(failure, reply) };
    const [name, words] = api.errorKind(ERRORS, status);
    return { body: errorBody(status, name, message ?? words) };
  },
};

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

/** A function's response can have any shape; its name and call id are not the user's words. */
function wordsOfPart({ text, functionResponse }: JsonObject): string {
  if (typeof text === 'string') return text;
  return api.allWords(objectFrom(functionResponse).response);
}

function response({ model, number }: api.Reply, parts: readonly JsonObject[], finish: object = {}): object {
  const candidates = [{ content: { role: 'model', parts }, ...finish, index: 0 }];
  return { candidates, modelVersion: model, responseId: `rehearsal-${number}` };
}

function lastResponse(said: Said, reply: api.Reply, parts: readonly JsonObject[]): object {
  const { outputTokens, reasoningTokens, cacheReadTokens } = said.usage;
  const prompt = api.promptTokens(said);
  const usageMetadata = {
    promptTokenCount: prompt,
    cachedContentTokenCount: cacheReadTokens,
    candidatesTokenCount: Math.max(0, outputTokens - reasoningTokens),
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: prompt + outputTokens,
  };
  return { ...response(reply, parts, { finishReason: 'STOP' }), usageMetadata };
}

function thoughts({ think }: Said): readonly JsonObject[] {
  return think ? [{ text: think, thought: true }] : [];
}

function calls({ tools }: Said): readonly JsonObject[] {
  return tools.map(({ name, input }) => ({ functionCall: { name, args: input } }));
}

const OVERLOADED = ['UNAVAILABLE', 'The model is overloaded. Please try again later.'] as const;

const ERRORS = {
  4: ['INVALID_ARGUMENT', 'Bad request'],
  5: ['INTERNAL', 'Error'],
  400: ['INVALID_ARGUMENT', 'The request is invalid.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission'],
  404: ['NOT_FOUND', 'Requested entity was not found.'],
  500: ['INTERNAL', 'An internal error has occurred. Please retry or report in Troubleshooting'],
  503: OVERLOADED,
  504: ['DEADLINE_EXCEEDED', 'The request timed out. Please try again.'],
  529: OVERLOADED,
} as const;

function errorBody(code: number, status: string, message: string, more: object = {}): object {
  return { error: { code, message, status, ...more } };
}

const RPC = 'type.googleapis.com/google.rpc.';

/** A longer wait means that a daily quota is used up; a per-minute quota resets sooner. */
const MINUTE = 60;

function exhausted({ message, resetAt }: api.Failure, reply: api.Reply): object {
  const seconds = resetAt === undefined ? undefined : api.secondsUntil(resetAt, reply);
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
  const details = [
    { '@type': `${RPC}QuotaFailure`, violations: [violation] },
    ...(seconds === undefined ? [] : [{ '@type': `${RPC}RetryInfo`, retryDelay: `${seconds}s` }]),
  ];
  return errorBody(429, 'RESOURCE_EXHAUSTED', message ?? words, { details });
}
