/** What the words of a failed model call mean. Model libraries lead with the HTTP status; a message or its JSON follows. */
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import { faultOfRefusal, shortened } from './api-fault.ts';
import { objectFrom, parseObject, textFrom } from './json-line.ts';
import { resetTimeIn } from './reset-time.ts';

const STATUS = /^(\d{3})\b|"(?:code|status)": ?(\d{3})\b|\b(?:HTTP|status(?: code)?):? (\d{3})\b/i;
const LIMIT = /\brate.?limit|\busage limit|\bquota\b|\btoo many requests\b|\bRESOURCE_EXHAUSTED\b/i;
const NO_ANSWER =
  /\boverloaded\b|\bconnection error\b|\bfetch failed\b|\bterminated\b|\bother side closed\b|\bsocket hang up\b|\bECONN[A-Z]+\b|\bENOTFOUND\b|\bnetwork error\b|\btimed out\b/i;

/** Null where the call itself was wrong, or nothing is known. */
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
