/** What a model service's refusal means for a loop: wait, give up, or try again. */
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';

export interface Refusal {
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
