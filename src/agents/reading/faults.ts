/** Decides what a service's refusal, or the error text of a failed call, means for a loop: wait, give up, or retry. */
import type { Fault } from '../../core/outcome.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { objectFrom, parseObject, textFrom } from './json-line.ts';

interface Refusal {
  readonly status: number | string | undefined;
  readonly message: string;
  readonly resetAt?: Instant | null;
}

/** Null if the request itself was wrong, or nothing is known: an ordinary failure. */
export function faultOfRefusal({ status: told, message, resetAt = null }: Refusal): Fault | null {
  const status = Number(told);
  const reason = shortened(message);
  // The service throttles all of its users, which passes soon.
  if (status === 429 && message.includes('not your usage limit')) return { kind: 'infrastructure', reason };
  if (status === 429) return { kind: 'limit', reason: reason || 'the usage limit is reached', resetAt };
  if (status === 401 || status === 403) return { kind: 'auth', reason: reason || `HTTP ${status}` };
  if (status >= 500) return { kind: 'infrastructure', reason: reason || `HTTP ${status}` };
  return null;
}

const LONGEST_REASON = 300;

/** Reasons go into the journal: one line of bounded length. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1)}…` : line;
}

const STATUS = /^(\d{3})\b|"(?:code|status)": ?(\d{3})\b|\b(?:HTTP|status(?: code)?):? (\d{3})\b/i;
const LIMIT = /\brate.?limit|\busage limit|\bquota\b|\btoo many requests\b|\bRESOURCE_EXHAUSTED\b/i;
const NO_ANSWER =
  /\boverloaded\b|\bconnection error\b|\bfetch failed\b|\bterminated\b|\bother side closed\b|\bsocket hang up\b|\bECONN[A-Z]+\b|\bENOTFOUND\b|\bnetwork error\b|\btimed out\b/i;

/** Model libraries put the HTTP status first. Null if the call itself was wrong, or nothing is known. */
export function faultOfErrorText(text: string, now: Instant): Fault | null {
  const message = messageIn(text);
  // Some write "in ~120 min".
  const resetAt = resetTimeIn(message.replaceAll('~', ''), now);
  const [, leading, inJson, named] = STATUS.exec(text) ?? [];
  const status = leading ?? inJson ?? named;
  if (status !== undefined) return faultOfRefusal({ status, message, resetAt });
  if (LIMIT.test(message)) return { kind: 'limit', reason: shortened(message), resetAt };
  return NO_ANSWER.test(message) ? { kind: 'infrastructure', reason: shortened(message) } : null;
}

/** The same for a line of a screen, which can be about anything. */
export function faultOfErrorLine(line: string, now: Instant): Fault | null {
  return /\berror\b/i.test(line) ? faultOfErrorText(line, now) : null;
}

/** The vendor's own message if the text holds it as JSON; otherwise the text. */
export function messageIn(text: string): string {
  const start = text.indexOf('{');
  const body = start < 0 ? null : parseObject(text.slice(start).trimEnd());
  if (body === null) return text;
  return textFrom(body.message, textFrom(objectFrom(body.error).message, text));
}

/**
 * When a usage limit is lifted, according to an agent's message for people: a clock time, a date, a span. Null if the
 * text names no time. `now` decides which day a bare clock time means.
 */
export function resetTimeIn(text: string, now: Instant): Instant | null {
  return instantIn(text) ?? dateIn(text, now) ?? clockIn(text, now) ?? spanIn(text, now);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const CLOCK = String.raw`(1[0-2]|0?\d)(?::([0-5]\d))?\s*([ap]m)`;
const ZONE = String.raw`(?:\s*\(([A-Za-z_]+(?:/[A-Za-z_+\-0-9]+)*)\))?`;
const DATE_PATTERN = new RegExp(
  String.raw`\b(${MONTHS.join('|')})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}),?)?(?: at)? ${CLOCK}${ZONE}`,
  'i',
);
const CLOCK_PATTERN = new RegExp(String.raw`\b(?:at|resets?|until) ${CLOCK}${ZONE}`, 'i');
const SPAN_PATTERN =
  /\b(?:in|after)((?: ?\d+(?:\.\d+)? ?(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b,?(?: and)?)+)/i;
const UNITS: Readonly<Record<string, Duration>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
const DAY: Duration = 86_400_000;

/** Seconds since the epoch after a `|`, or an ISO time. */
function instantIn(text: string): Instant | null {
  const seconds = /\|(\d{10})\b/.exec(text)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const iso = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/.exec(text)?.[0];
  return iso === undefined ? null : valid(Date.parse(iso));
}

function dateIn(text: string, now: Instant): Instant | null {
  const [, month, day, year, hour, minute, half, zone] = DATE_PATTERN.exec(text) ?? [];
  if (month === undefined) return null;
  const at = (inYear: number): Instant | null =>
    localInstant(
      [inYear, MONTHS.indexOf(month.slice(0, 3).toLowerCase()), Number(day), ...clock(hour, minute, half)],
      zone,
    );
  if (year !== undefined) return at(Number(year));
  const thisYear = at(new Date(now).getFullYear());
  // In December, "Jan 2" means next year.
  return thisYear !== null && thisYear < now - DAY ? at(new Date(now).getFullYear() + 1) : thisYear;
}

function clockIn(text: string, now: Instant): Instant | null {
  const [, hour, minute, half, zone] = CLOCK_PATTERN.exec(text) ?? [];
  if (hour === undefined) return null;
  const today = localInstant([...dayOf(now, zone), ...clock(hour, minute, half)], zone);
  // A past time means tomorrow; a minute's slack for a limit that is being lifted right now.
  return today !== null && today < now - 60_000 ? today + DAY : today;
}

function spanIn(text: string, now: Instant): Instant | null {
  const span = SPAN_PATTERN.exec(text)?.[1];
  if (span === undefined) return null;
  const parts = [...span.matchAll(/(\d+(?:\.\d+)?) ?([dhms])/gi)];
  const length = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS[unit?.toLowerCase() ?? ''] ?? 0),
    0,
  );
  return valid(now + Math.round(length));
}

type LocalTime = readonly [year: number, month: number, day: number, hour: number, minute: number];

function clock(hour: string | undefined, minute: string | undefined, half: string | undefined): [number, number] {
  const isAfternoon = half?.toLowerCase() === 'pm';
  return [(Number(hour) % 12) + (isAfternoon ? 12 : 0), Number(minute ?? 0)];
}

function dayOf(now: Instant, zone: string | undefined): [number, number, number] {
  const there = new Date(now + offsetAt(now, zone));
  return [there.getUTCFullYear(), there.getUTCMonth(), there.getUTCDate()];
}

function localInstant(time: LocalTime, zone: string | undefined): Instant | null {
  const asUtc = Date.UTC(...time);
  if (Number.isNaN(asUtc)) return null;
  // The first guess may be on the wrong side of a clock change; the second offset is right.
  const guess = asUtc - offsetAt(asUtc, zone);
  return asUtc - offsetAt(guess, zone);
}

/** How far the zone is ahead of UTC; without a zone, or for an unknown one, the machine's own. */
function offsetAt(at: Instant, zone: string | undefined): Duration {
  const own = -new Date(at).getTimezoneOffset() * 60_000;
  if (zone === undefined) return own;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  } catch {
    // The text in brackets is not a time zone.
    return own;
  }
}

function valid(at: number): Instant | null {
  return Number.isFinite(at) ? at : null;
}
