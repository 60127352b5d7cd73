/** What a model service's refusal, or the words of a failed call, mean for a loop: wait, give up, or try again. */
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import { objectFrom, parseObject, textFrom } from './json-line.ts';
import { resetTimeIn } from './reset-time.ts';

interface Refusal {
  /** The HTTP status that the agent reports. */
  readonly status: number | undefined;
  readonly message: string;
  readonly resetAt?: Instant | null;
}

/** Null where the refusal is the request's own fault, or nothing is known: an ordinary failure. */
export function faultOfRefusal({ status, message, resetAt = null }: Refusal): Fault | null {
  const reason = shortened(message);
  // A brake on everybody's requests, which is let go of soon.
  if (status === 429 && message.includes('not your usage limit')) return { kind: 'infrastructure', reason };
  if (status === 429) return { kind: 'limit', reason: reason || 'the usage limit is reached', resetAt };
  if (status === 401 || status === 403) return { kind: 'auth', reason: reason || `HTTP ${status}` };
  if (status !== undefined && status >= 500) return { kind: 'infrastructure', reason: reason || `HTTP ${status}` };
  return null;
}

const LONGEST_REASON = 300;

/** Reasons enter the journal: one line of bounded length. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1)}…` : line;
}

const STATUS = /^(\d{3})\b|"(?:code|status)": ?(\d{3})\b|\b(?:HTTP|status(?: code)?):? (\d{3})\b/i;
const LIMIT = /\brate.?limit|\busage limit|\bquota\b|\btoo many requests\b|\bRESOURCE_EXHAUSTED\b/i;
const NO_ANSWER =
  /\boverloaded\b|\bconnection error\b|\bfetch failed\b|\bterminated\b|\bother side closed\b|\bsocket hang up\b|\bECONN[A-Z]+\b|\bENOTFOUND\b|\bnetwork error\b|\btimed out\b/i;

/** Model libraries lead with the HTTP status. Null where the call itself was wrong, or nothing is known. */
export function faultOfErrorText(text: string, now: Instant): Fault | null {
  const message = messageIn(text);
  // Some write "in ~120 min".
  const resetAt = resetTimeIn(message.replaceAll('~', ''), now);
  const [, leading, inJson, named] = STATUS.exec(text) ?? [];
  const status = leading ?? inJson ?? named;
  if (status !== undefined) return faultOfRefusal({ status: Number(status), message, resetAt });
  if (LIMIT.test(message)) return { kind: 'limit', reason: shortened(message), resetAt };
  return NO_ANSWER.test(message) ? { kind: 'infrastructure', reason: shortened(message) } : null;
}

/** The same for a line of a screen, which may be about anything. */
export function faultOfErrorLine(line: string, now: Instant): Fault | null {
  return /\berror\b/i.test(line) ? faultOfErrorText(line, now) : null;
}

/** The vendor's own sentence where the text holds it as JSON; otherwise the text. */
export function messageIn(text: string): string {
  const start = text.indexOf('{');
  const body = start < 0 ? null : parseObject(text.slice(start).trimEnd());
  if (body === null) return text;
  return textFrom(body.message, textFrom(objectFrom(body.error).message, text));
}
