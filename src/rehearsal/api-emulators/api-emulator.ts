/** The contract of one model API (how its requests are understood, how a reply is said in its words), and what all share. */
import * as z from 'zod';
import type { Instant } from '../../core/time.ts';
import type { Said } from '../script/said.ts';
import type { UsageWindow } from '../script/script.ts';

export interface ApiEmulator {
  readonly name: ApiName;
  /** Undefined when the request is not of this API. */
  understand(request: ApiRequest): Ask | undefined;
  /** The reply as server-sent events, one string each, so that a fault can fall between or inside them. */
  events(said: Said, reply: Reply): Iterable<string>;
  /** The same reply in one piece, for a request that does not stream. */
  whole(said: Said, reply: Reply): unknown;
  failure(
    failure: Failure,
    reply: Reply,
  ): { readonly headers?: Readonly<Record<string, string>>; readonly body: unknown };
  /** How a reply that is good tells of the usage window; absent where the API has no way. */
  windowHeaders?(window: UsageWindow, reply: Reply): Readonly<Record<string, string>>;
}

export type ApiName = 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** Parsed JSON; the raw text when it is not JSON; null when there was none. */
  readonly body: unknown;
}

/** `direct` needs no turn: counted tokens, a refusal. */
export type Ask = Generate | { readonly kind: 'direct'; readonly status: number; readonly body: unknown };

export interface Generate {
  readonly kind: 'generate';
  readonly model: string;
  readonly stream: boolean;
  /** Names. Only the agent's main loop offers any; titles, summaries and quota probes do not. */
  readonly tools: readonly string[];
  /** What the user, or a tool for them, said last. */
  readonly lastUserText: string;
  /** All instructions and messages; not the tools' descriptions, which say much else. */
  readonly text: string;
  /** The JSON Schema that the answer must have; undefined for an answer in words. */
  readonly answerSchema: unknown;
}

export interface Reply {
  /** Unique in one server; identifiers in the reply are made from it. */
  readonly number: number;
  readonly model: string;
  readonly at: Instant;
}

export interface Failure {
  readonly status: number;
  /** Undefined for the vendor's own words. */
  readonly message: string | undefined;
  readonly resetAt: Instant | undefined;
}

/** What a path asks for, without its query and its version: agents differ in whether the base address holds `/v1`. */
export function routeOf(path: string): string {
  const [route = ''] = path.split('?');
  return route.replace(/^\/v1(beta)?(?=\/)/, '');
}

/** A request that does not have its API's form is refused in the vendor's words. */
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

/** Errors by status; 4 and 5 stand for those that are not named. */
type ErrorKinds<Kind> = Readonly<Record<4 | 5, Kind> & Record<number, Kind>>;

export function errorKind<Kind>(kinds: ErrorKinds<Kind>, status: number): Kind {
  return kinds[status] ?? kinds[status < 500 ? 4 : 5];
}

export function secondsUntil(resetAt: Instant, { at }: Reply): number {
  return Math.max(0, Math.ceil((resetAt - at) / 1000));
}

/** Tokens of a whole prompt, for vendors that count the cache among them. */
export function promptTokens({ usage }: Said): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

export function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** With its type as the event's name too, as two of the vendors do. */
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

/** Of a user's message, or of the results of all calls of the last reply, which are one item each. */
export function lastWords(items: readonly Message[]): string {
  const last = items.findLastIndex(({ role }) => role === 'user' || role === 'tool');
  const isBeforeResults = ({ role }: Message, index: number): boolean => index < last && role !== 'tool';
  const before = items[last]?.role === 'tool' ? items.findLastIndex(isBeforeResults) : last - 1;
  const words = items.slice(before + 1, last + 1).map(({ content }) => wordsOf(content));
  return words.join('\n');
}

/** Say what a part is, or hold a picture: no text to look for. */
const NOT_WORDS = new Set(['type', 'role', 'data']);

/** Every text anywhere in a value, so that instructions, reasoning and tool calls are found too. */
export function allWords(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const parts = Array.isArray(value)
    ? value
    : Object.entries(value).flatMap(([key, part]: [string, unknown]) => (NOT_WORDS.has(key) ? [] : [part]));
  return parts.map(allWords).filter(Boolean).join('\n');
}

/** About four characters make a token; an agent only wants to know whether the context is nearly full. */
export function estimateTokens(body: unknown): number {
  return Math.ceil(JSON.stringify(body).length / 4);
}
