/** The Gemini API, as far as the Gemini CLI uses it. */
import * as z from 'zod';
import { type Said, saysAnything } from '../script/said.ts';
import {
  dataEvent,
  type ErrorKinds,
  errorKind,
  type Failure,
  promptTokens,
  type Reply,
  routeOf,
  secondsUntil,
  understood,
  type Wire,
} from './api-emulator.ts';
import { allWords, estimateTokens } from './request-text.ts';

export const gemini: Wire = {
  name: 'gemini',
  understand({ method, path, body }) {
    const { model, verb } = ROUTE.exec(routeOf(path))?.groups ?? {};
    if (method !== 'POST' || model === undefined) return undefined;
    if (verb === 'countTokens') return { kind: 'direct', status: 200, body: { totalTokens: estimateTokens(body) } };
    if (verb !== 'generateContent' && verb !== 'streamGenerateContent') return undefined;
    const refuse = (why: string): object => errorBody(400, 'INVALID_ARGUMENT', why);
    return understood(requestSchema, body, refuse, ({ contents, systemInstruction, generationConfig, tools }) => ({
      model,
      stream: verb === 'streamGenerateContent',
      tools: tools?.flatMap((tool) => tool.functionDeclarations?.map(({ name }) => name) ?? []) ?? [],
      lastUserText:
        contents
          .findLast(({ role }) => role !== 'model')
          ?.parts?.map(wordsOfPart)
          .join('\n') ?? '',
      text: allWords([systemInstruction, contents]),
      answerSchema: generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema,
    }));
  },
  *events(said, reply) {
    if (said.think) yield dataEvent(response(reply, [thought(said)]));
    for (const text of said.text) yield dataEvent(response(reply, [{ text }]));
    yield dataEvent({ ...response(reply, calls(said), 'STOP'), usageMetadata: usageOf(said) });
  },
  whole(said, reply) {
    const parts = [
      ...(said.think ? [thought(said)] : []),
      ...(saysAnything(said) ? [{ text: [...said.text].join('') }] : []),
      ...calls(said),
    ];
    return { ...response(reply, parts, 'STOP'), usageMetadata: usageOf(said) };
  },
  failure(failure, reply) {
    const { status, message } = failure;
    if (status === 429) return { headers: {}, body: exhausted(failure, reply) };
    const [name, words] = errorKind(ERRORS, status);
    return { headers: {}, body: errorBody(status, name, message ?? words) };
  },
};

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

/** A function's response has any shape; its name and its call's identifier are no words of the user. */
function wordsOfPart({ text, functionResponse }: Part): string {
  if (typeof text === 'string') return text;
  if (typeof functionResponse !== 'object' || functionResponse === null) return '';
  return 'response' in functionResponse ? allWords(functionResponse.response) : '';
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

function usageOf(said: Said): object {
  const { usage } = said;
  const prompt = promptTokens(said);
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: usage.cacheReadTokens,
    candidatesTokenCount: Math.max(0, usage.outputTokens - usage.reasoningTokens),
    thoughtsTokenCount: usage.reasoningTokens,
    totalTokenCount: prompt + usage.outputTokens,
  };
}

type Kind = readonly [status: string, message: string];

const OVERLOADED: Kind = ['UNAVAILABLE', 'The model is overloaded. Please try again later.'];

const ERRORS: ErrorKinds<Kind> = new Map<number, Kind>([
  [4, ['INVALID_ARGUMENT', 'Bad request']],
  [5, ['INTERNAL', 'Error']],
  [400, ['INVALID_ARGUMENT', 'The request is invalid.']],
  [401, ['UNAUTHENTICATED', 'Request had invalid authentication credentials.']],
  [403, ['PERMISSION_DENIED', 'The caller does not have permission']],
  [404, ['NOT_FOUND', 'Requested entity was not found.']],
  [500, ['INTERNAL', 'An internal error has occurred. Please retry or report in Troubleshooting']],
  [503, OVERLOADED],
  [504, ['DEADLINE_EXCEEDED', 'The request timed out. Please try again.']],
  [529, OVERLOADED],
]);

function errorBody(code: number, status: string, message: string, details?: readonly object[]): object {
  return { error: { code, message, status, ...(details && { details }) } };
}

const RPC = 'type.googleapis.com/google.rpc.';

/** Longer than this, and it is a day's quota that is used up; a minute's comes back sooner. */
const MINUTE = 60;

function exhausted({ message, resetAt }: Failure, reply: Reply): object {
  const seconds = resetAt === undefined ? undefined : secondsUntil(resetAt, reply);
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
  return errorBody(429, 'RESOURCE_EXHAUSTED', message ?? words, [
    { '@type': `${RPC}QuotaFailure`, violations: [violation] },
    ...(seconds === undefined ? [] : [{ '@type': `${RPC}RetryInfo`, retryDelay: `${seconds}s` }]),
  ]);
}
