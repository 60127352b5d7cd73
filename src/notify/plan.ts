/** Decides what to send to a receiver now (each message by itself, or a summary), and when to look again. Pure. */
import { type Notice, type NoticeEvent, oneLine, plainLines } from '../core/notice.ts';
import type { Duration, Instant } from '../core/time.ts';

/** In seconds, which tests shorten. */
export const PACE = {
  /** How long a message waits for others to be sent with it. */
  gather: 2,
  /** Time between two messages to one receiver: messages in between are sent together. */
  apart: 5,
  /** Pauses before each new try; after the last one, the message is given up. */
  pauses: [2, 10, 60, 300, 900],
  /** After this time without an answer, the delivery counts as failed. */
  patience: 10,
  /** Older messages are dropped. */
  expires: 36 * 3600,
} as const;

/** A test's second would be too short for any request. */
const SHORTEST_PATIENCE: Duration = 2000;

/** How long to wait for a receiver's answer. */
export const patienceWith = (second: Duration): Duration => Math.max(PACE.patience * second, SHORTEST_PATIENCE);

/** This many messages or more become one summary. */
const STORM = 3;

export interface Routing {
  /** Until then only the `breakThrough` events are sent; null outside quiet hours. */
  readonly quietUntil: Instant | null;
  readonly breakThrough: readonly NoticeEvent[];
  /** The receiver shows buttons: a message that can be answered is sent by itself, because a summary has no buttons. */
  readonly hasButtons: boolean;
  /** Send nothing before this: the receiver was down, or has just got a message. */
  readonly notBefore: Instant;
  readonly second: Duration;
}

export interface Plan {
  /** What to send now, one message or summary per entry; may be empty. */
  readonly send: readonly (readonly Notice[])[];
  /** When to look again; null if nothing is due. */
  readonly at: Instant | null;
}

/** `waiting`: messages that this receiver has not got yet, oldest first. */
export function planFor(waiting: readonly Notice[], now: Instant, routing: Routing): Plan {
  const { quietUntil, breakThrough, hasButtons, notBefore, second } = routing;
  const isHeld = ({ event }: Notice): boolean => quietUntil !== null && !breakThrough.includes(event);
  const ready = waiting.filter((notice) => !isHeld(notice));
  const wakeAt = waiting.length > ready.length ? quietUntil : null;
  const [first] = ready;
  if (first === undefined) return { send: [], at: wakeAt };
  // A clock that was set back must not delay a message for hours.
  const gathered = first.at > now ? now : first.at + PACE.gather * second;
  const at = Math.max(gathered, notBefore);
  if (at > now) return { send: [], at: wakeAt === null ? at : Math.min(at, wakeAt) };
  const isAnswered = ({ can }: Notice): boolean => hasButtons && can.includes('answer');
  const others = ready.filter((notice) => !isAnswered(notice));
  const single = (notices: readonly Notice[]) => notices.map((notice) => [notice]);
  const send = [...single(ready.filter(isAnswered)), ...(others.length >= STORM ? [others] : single(others))];
  return { send, at: wakeAt };
}

/** The pause after this many failed tries; null to give up. */
export function pauseAfter(tries: number, second: Duration): Duration | null {
  const pause = PACE.pauses[tries - 1];
  return pause === undefined ? null : pause * second;
}

const LISTED = 12;
/** Discord allows 2000 characters, including the title. */
const LONGEST_SUMMARY = 1500;

/** Combines several messages into one that is as urgent as the most urgent of them. */
export function summaryOf(notices: readonly Notice[]): Notice {
  const [first] = notices;
  if (first === undefined) throw new Error('a summary of nothing');
  if (notices.length === 1) return first;
  const counts = URGENT_FIRST.map(
    (event) => [event, notices.filter((notice) => notice.event === event).length] as const,
  );
  const counted = counts.filter(([, count]) => count > 0);
  const lines = notices.slice(0, LISTED).map((notice) => `${notice.title}${question(notice)}${named(notice)}`);
  const more = notices.length - lines.length;
  const [event = first.event] = counted.map(([name]) => name);
  return {
    v: 1,
    id: `${first.id}+${notices.length - 1}`,
    at: notices.at(-1)?.at ?? first.at,
    event,
    title: oneLine(`ralph: ${counted.map(([name, count]) => `${count} ${name}`).join(', ')}`),
    text: plainLines([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'), LONGEST_SUMMARY),
    loop: null,
    next: 'ralph ls',
    can: [],
    parts: notices,
  };
}

const question = (notice: Notice): string => (notice.question === undefined ? '' : `: ${oneLine(notice.question)}`);
const named = ({ loop }: Notice): string => (loop === null ? '' : ` (${loop.name})`);

const URGENT_FIRST: readonly NoticeEvent[] = [
  'tampered',
  'blocked',
  'failed',
  'budget',
  'limited',
  'lifted',
  'done',
  'report',
];
