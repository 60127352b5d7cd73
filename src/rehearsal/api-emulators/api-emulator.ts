/** The interface of a model API emulator (how it reads requests and writes replies), and what all emulators share. */
import * as z from 'zod';
import type { Instant } from '../../core/time.ts';
import type { Said } from '../script/said.ts';
import type { UsageWindow } from '../script/script.ts';

export interface ApiEmulator {
  readonly name: ApiName;
  /** Undefined if the request is not of this API. */
  understand(request: ApiRequest): Ask | undefined;
  /** The reply as server-sent events, one string each, so that a fault can occur between or inside them. */
  events(said: Said, reply: Reply): Iterable<string>;
  /** The same reply in one piece, for a request that does not stream. */
  whole(said: Said, reply: Reply): unknown;
  failure(
    failure: Failure,
    reply: Reply,
  ): { readonly headers?: Readonly<Record<string, string>>; readonly body: unknown };
  /** How a successful reply reports the usage window; absent if the API does not report it. */
  windowHeaders?(window: UsageWindow, reply: Reply): Readonly<Record<string, string>>;
}

export type ApiName = 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** Parsed JSON; the raw text if it is not JSON; null if there is no body. */
  readonly body: unknown;
}

/** `direct` needs no turn: a token count, a refusal. */
export type Ask = Generate | { readonly kind: 'direct'; readonly status: number; readonly body: unknown };

export interface Generate {
  readonly kind: 'generate';
  readonly model: string;
  readonly stream: boolean;
  /** Tool names. Only the agent's main loop offers tools; requests for titles, summaries and quota probes do not. */
  readonly tools: readonly string[];
  /** The last message of the user, or the last tool results. */
  readonly lastUserText: string;
  /** All instructions and messages, without the tool descriptions, which contain a lot of other text. */
  readonly text: string;
  /** The JSON Schema for the answer; undefined for an answer in plain text. */
  readonly answerSchema: unknown;
}

export interface Reply {
  /** Unique within a server; used for identifiers in the reply. */
  readonly number: number;
  readonly model: string;
  readonly at: Instant;
}

export interface Failure {
  readonly status: number;
  /** Undefined for the vendor's default message. */
  readonly message: string | undefined;
  readonly resetAt: Instant | undefined;
}

/** The path without its query and version: agents differ in whether the base address contains `/v1`. */
export function routeOf(path: string): string {
  const [route = ''] = path.split('?');
  return route.replace(/^\/v1(beta)?(?=\/)/, '');
}

/** Refuses a request that does not match the API's schema, in the vendor's error format. */
export function understood<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  refuse: (why: string) => object,
  ask: (request: z.infer<Schema>) => Omit<Generate, 'kind'>,
): Ask {
  const asked = schema.safeParse(body);
  if (asked.success) return { kind: 'generate', ...ask(asked.data) };
  return { kind: 'direct', status: 400, body: refuse(z.prettifyError(asked.error)) };
}

/** Errors by status; 4 and 5 are the defaults for 4xx and 5xx. */
type ErrorKinds<Kind> = Readonly<Record<4 | 5, Kind> & Record<number, Kind>>;

export function errorKind<Kind>(kinds: ErrorKinds<Kind>, status: number): Kind {
  return kinds[status] ?? kinds[status < 500 ? 4 : 5];
}

export function secondsUntil(resetAt: Instant, { at }: Reply): number {
  return Math.max(0, Math.ceil((resetAt - at) / 1000));
}

/** Tokens of the whole prompt, for vendors that include cached ones. */
export function promptTokens({ usage }: Said): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

export function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** Uses the type also as the event's name, as two of the vendors do. */
export function typedEvent(type: string, data: object): string {
  return `event: ${type}\n${dataEvent({ type, ...data })}`;
}

export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(wordsOf).join('\n');
  if (typeof content !== 'object' || content === null) return '';
  if ('text' in content) return wordsOf(content.text);
  return 'content' in content ? wordsOf(content.content) : '';
}

export interface Message {
  readonly role?: string | undefined;
  readonly content?: unknown;
}

/** The text of the last user message, or of all tool results for the last reply, which are one item each. */
export function lastWords(items: readonly Message[]): string {
  const last = items.findLastIndex(({ role }) => role === 'user' || role === 'tool');
  const isBeforeResults = ({ role }: Message, index: number): boolean => index < last && role !== 'tool';
  const before = items[last]?.role === 'tool' ? items.findLastIndex(isBeforeResults) : last - 1;
  const words = items.slice(before + 1, last + 1).map(({ content }) => wordsOf(content));
  return words.join('\n');
}

/** Keys whose values are no text: they say what a part is, or hold a picture. */
const NOT_WORDS = new Set(['type', 'role', 'data']);

/** All text anywhere in a value, so that instructions, reasoning and tool calls are found, too. */
export function allWords(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const parts = Array.isArray(value)
    ? value
    : Object.entries(value).flatMap(([key, part]: [string, unknown]) => (NOT_WORDS.has(key) ? [] : [part]));
  return parts.map(allWords).filter(Boolean).join('\n');
}

/** Assumes four characters per token; an agent only needs to know whether the context is nearly full. */
export function estimateTokens(body: unknown): number {
  return Math.ceil(JSON.stringify(body).length / 4);
}
