/**
 * The buttons that were offered, and what each can do: bound to one loop and one question, for one use and a limited
 * time. Only the hash of a token is stored, so the file on disk gives no access. Pure.
 */
import { createHash } from 'node:crypto';
import { type Notice, oneLine, plainLines } from '../../core/notice.ts';
import { isFields } from '../../core/text/json.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { answerOptions } from '../answer-options.ts';
import type { NtfyButton, NtfyExtras } from '../deliver/ntfy.ts';

export interface ReplyRequest {
  readonly hash: string;
  /** The message that it belongs to: one answer to a question makes the others void. */
  readonly notice: string;
  readonly receiver: string;
  readonly loop: { readonly id: string; readonly name: string };
  /** `text`: null if the person writes it. */
  readonly does: { readonly command: 'pause' | 'stop' } | { readonly command: 'answer'; readonly text: string | null };
  /** The question; null if there was none. */
  readonly question: string | null;
  readonly at: Instant;
  readonly expiresAt: Instant;
  readonly usedAt?: Instant;
}

export interface ReplyBook {
  readonly requests: readonly ReplyRequest[];
  /** By receiver: the last message that was read from its reply topic. */
  readonly read: Readonly<Record<string, string>>;
}

export const EMPTY_BOOK: ReplyBook = { requests: [], read: {} };

/** Random tokens: long ones for buttons, short ones that people can type. */
export interface Tokens {
  long(): string;
  short(): string;
}

/** ntfy shows at most this many. */
const MOST_BUTTONS = 3;
const LABELS = { pause: 'Pause', stop: 'Stop' } as const;

export interface Offer {
  readonly extras: NtfyExtras;
  readonly requests: readonly ReplyRequest[];
}

export function offerReplies(
  notice: Notice,
  { receiver, topic, expires, now }: { receiver: string; topic: string; expires: Duration; now: Instant },
  tokens: Tokens,
): Offer | null {
  const { loop, can, question = null } = notice;
  if (loop === null || can.length === 0) return null;
  const requests: ReplyRequest[] = [];
  const request = (token: string, does: ReplyRequest['does']): string => {
    const about = { notice: notice.id, receiver, loop: { id: loop.id, name: loop.name }, question };
    requests.push({ hash: hashOf(token), ...about, does, at: now, expiresAt: now + expires });
    return token;
  };
  const buttons: NtfyButton[] = [];
  const button = (label: string, does: ReplyRequest['does']): void => {
    if (buttons.length < MOST_BUTTONS) buttons.push({ label, body: request(tokens.long(), does) });
  };
  const canAnswer = can.includes('answer') && question !== null;
  if (canAnswer) for (const text of answerOptions(question)) button(text, { command: 'answer', text });
  for (const command of ['pause', 'stop'] as const) if (can.includes(command)) button(LABELS[command], { command });
  const word = canAnswer ? request(tokens.short(), { command: 'answer', text: null }) : null;
  const note = word === null ? null : `To answer in your own words, publish to ${topic}:\n${word} your answer`;
  return requests.length === 0 ? null : { extras: { buttons, note }, requests };
}

export type Judged =
  | { readonly is: 'good'; readonly request: ReplyRequest; readonly text: string }
  | { readonly is: 'unknown' | 'empty' }
  | { readonly is: 'expired' | 'used'; readonly request: ReplyRequest };

export const LONGEST_ANSWER = 4000;

/** What a message on the reply topic means: anyone who knows the topic can write there. */
export function judgeReply({ requests }: ReplyBook, receiver: string, message: string, now: Instant): Judged {
  const [, word = '', rest = ''] =
    /^\s*(\S{1,64})(?:\s+([\s\S]*))?$/.exec(message.slice(0, LONGEST_ANSWER + 100)) ?? [];
  const hash = hashOf(word);
  const request = requests.find((known) => known.hash === hash && known.receiver === receiver);
  if (word === '' || request === undefined) return { is: 'unknown' };
  if (request.usedAt !== undefined) return { is: 'used', request };
  if (now >= request.expiresAt) return { is: 'expired', request };
  if (request.does.command !== 'answer') return { is: 'good', request, text: '' };
  const text = request.does.text ?? plainLines(rest, LONGEST_ANSWER);
  return text === '' ? { is: 'empty' } : { is: 'good', request, text };
}

/** Marks the request as used, and with an answer also the other answers to the same question. */
export function withUsed(book: ReplyBook, { hash, notice, does }: ReplyRequest, now: Instant): ReplyBook {
  const isSpent = (other: ReplyRequest): boolean =>
    other.hash === hash || (does.command === 'answer' && other.notice === notice && other.does.command === 'answer');
  const requests = book.requests.map((other) => (isSpent(other) ? { ...other, usedAt: other.usedAt ?? now } : other));
  return { ...book, requests };
}

/** The requests that can still be used. */
export const openRequests = ({ requests }: ReplyBook, now: Instant): ReplyRequest[] =>
  requests.filter(({ usedAt, expiresAt }) => usedAt === undefined && now < expiresAt);

const MOST_KEPT = 300;
const KEPT: Duration = 24 * 3_600_000;

/** Keeps expired requests for a while, so that the log can say that a reply came too late. */
export function pruned(book: ReplyBook, now: Instant): ReplyBook {
  const kept = book.requests.filter(({ expiresAt }) => now < expiresAt + KEPT);
  return { ...book, requests: kept.slice(-MOST_KEPT) };
}

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Reads a book from the parsed file; null if it is not one. */
export function bookFrom(value: unknown): ReplyBook | null {
  if (!isFields(value) || !Array.isArray(value.requests) || !isFields(value.read)) return null;
  const isRequest = (one: unknown): one is ReplyRequest =>
    isFields(one) &&
    ['hash', 'notice', 'receiver'].every((key) => typeof one[key] === 'string') &&
    isFields(one.loop) &&
    isFields(one.does) &&
    typeof one.expiresAt === 'number';
  return { requests: value.requests.filter(isRequest), read: value.read as ReplyBook['read'] };
}

/** `answer for k3x9` */
export const describeRequest = ({ does, loop }: ReplyRequest): string =>
  oneLine(`${does.command} ${does.command === 'answer' ? 'for ' : ''}${loop.name}`);
