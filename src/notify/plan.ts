/** What is sent to a receiver now: each message by itself, or one summary of several; and when to look again. Pure. */
import { type Notice, type NoticeEvent, oneLine, plainLines } from '../core/notice.ts';
import type { Duration, Instant } from '../core/time.ts';

/** In seconds, which tests shorten. */
export const PACE = {
  /** A message waits so long for others that come with it. */
  gather: 2,
  /** Between two messages to one receiver: what comes meanwhile is sent together. */
  apart: 5,
  /** A message is tried again after so long, and then given up. */
  pauses: [2, 10, 60, 300, 900],
  /** A receiver that has not answered by then did not take it. */
  patience: 10,
  /** Older ones are of no use. */
  expires: 36 * 3600,
} as const;

/** A test's second is too short for any request. */
const SHORTEST_PATIENCE: Duration = 2000;

/** How long a receiver has to answer. */
export const patienceWith = (second: Duration): Duration => Math.max(PACE.patience * second, SHORTEST_PATIENCE);

/** So many and more become one summary. */
const STORM = 3;

export interface Routing {
  /** Until then only some events are sent; null for none. */
  readonly quietUntil: Instant | null;
  readonly breakThrough: readonly NoticeEvent[];
  /** It shows buttons: a message that can be answered is sent by itself, because a summary has none. */
  readonly hasButtons: boolean;
  /** The receiver gets nothing before: it was down, or has just got something. */
  readonly notBefore: Instant;
  readonly second: Duration;
}

export interface Plan {
  /** To be sent now, each of them a message of its own; empty for nothing. */
  readonly send: readonly (readonly Notice[])[];
  /** When something is due; null for nothing. */
  readonly at: Instant | null;
}

/** `waiting`: what this receiver has not got yet, oldest first. */
export function planFor(waiting: readonly Notice[], now: Instant, routing: Routing): Plan {
  const { quietUntil, breakThrough, hasButtons, notBefore, second } = routing;
  const isHeld = ({ event }: Notice): boolean => quietUntil !== null && !breakThrough.includes(event);
  const ready = waiting.filter((notice) => !isHeld(notice));
  const wakeAt = waiting.length > ready.length ? quietUntil : null;
  const [first] = ready;
  if (first === undefined) return { send: [], at: wakeAt };
  // A clock that was set back must not hold a message for hours.
  const gathered = first.at > now ? now : first.at + PACE.gather * second;
  const at = Math.max(gathered, notBefore);
  if (at > now) return { send: [], at: wakeAt === null ? at : Math.min(at, wakeAt) };
  const isAnswered = ({ can }: Notice): boolean => hasButtons && can.includes('answer');
  const others = ready.filter((notice) => !isAnswered(notice));
  const single = (notices: readonly Notice[]) => notices.map((notice) => [notice]);
  const send = [...single(ready.filter(isAnswered)), ...(others.length >= STORM ? [others] : single(others))];
  return { send, at: wakeAt };
}

/** The pause after so many tries that failed; null where it is given up. */
export function pauseAfter(tries: number, second: Duration): Duration | null {
  const pause = PACE.pauses[tries - 1];
  return pause === undefined ? null : pause * second;
}

const LISTED = 12;
/** Discord takes 2000 characters, with the title. */
const LONGEST_SUMMARY = 1500;

/** Several messages as one, as urgent as the most urgent of them. */
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
