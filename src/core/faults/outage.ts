/**
 * What a loop does about a fault from outside that passes by itself: it waits and tries the same iteration again.
 * Waiting for a reset that the agent has named is free; every other wait is taken from one budget. Pure.
 */
import type { Ending } from '../ending.ts';
import type { Fault } from '../outcome.ts';
import { formatDuration } from '../text/duration.ts';
import type { Duration, Instant } from '../time.ts';
import { backoff, limitPause } from './backoff.ts';

/** For loop kinds whose faults use up no iteration; without it, five faults in a row or a usage limit end the loop. */
export interface OutagePolicy {
  /** Wait for usage limits; otherwise they end the loop. */
  readonly waits: boolean;
  /** How long all waits together may take, not counting waits until a reset that was named. */
  readonly budgetMs: Duration;
  /** The first pause of a back-off: one second. Tests shorten it, and with it all other pauses. */
  readonly unitMs: Duration;
}

/** Longer than an agent's quiet steps that use no CPU take, such as waiting for a deployment. */
export const HANG_AFTER: Duration = 30 * 60_000;
export const OUTAGE_BUDGET: Duration = 6 * 60 * 60_000;

/** What the loop waits for, in words for people. `reserve`: see `Limited`. */
export interface OutageWait {
  readonly kind: Fault['kind'] | 'reserve';
  readonly reason: string;
}

export type AfterFault =
  | { readonly is: 'wait'; readonly until: Instant; readonly chargedMs: Duration; readonly for: OutageWait }
  | { readonly is: 'end'; readonly ending: Ending };

export interface Outage {
  readonly id: string;
  readonly at: Instant;
  /** Including this one. */
  readonly faultsInARow: number;
  /** What is used of the outage budget. */
  readonly usedMs: Duration;
  /** No agent is started after this; null for no limit. */
  readonly notAfter: Instant | null;
}

/** Many loops wait for the same reset: they must not all resume in the same second. */
const JITTER_SECONDS = 60;
const SECOND: Duration = 1000;

/** A reset further ahead than any agent's window is a mistake, and is not waited for. */
const LONGEST_WINDOW: Duration = 40 * 24 * 60 * 60_000;

/** When a limited agent is tried again, and the reset on which that is based; null if none was named. */
export function limitEnd(
  { resetAt: named }: Extract<Fault, { kind: 'limit' }>,
  { id, at, faultsInARow, unitMs }: Pick<Outage, 'id' | 'at' | 'faultsInARow'> & Pick<OutagePolicy, 'unitMs'>,
): { readonly until: Instant; readonly resetAt: Instant | null } {
  const resetAt = named !== null && named - at <= LONGEST_WINDOW ? named : null;
  const pause = at + limitPause(faultsInARow, unitMs);
  // A reset that has passed, or that keeps moving, must not make the loop ask every second.
  return { until: resetAt === null ? pause : Math.max(resetAt + (jitterOf(id) * unitMs) / SECOND, pause), resetAt };
}

export function afterFault(fault: Fault, outage: Outage, policy: OutagePolicy): AfterFault {
  const { at, faultsInARow } = outage;
  const { unitMs } = policy;
  const end =
    fault.kind === 'limit'
      ? limitEnd(fault, { ...outage, unitMs })
      : { until: at + backoff(faultsInARow, unitMs), resetAt: null };
  return waitUntil(end, fault, outage, policy);
}

/** `why`: the fault with which the loop ends if it cannot wait. */
export function waitUntil(
  { until, resetAt }: { readonly until: Instant; readonly resetAt: Instant | null },
  why: Fault,
  { at, usedMs, notAfter }: Pick<Outage, 'at' | 'usedMs' | 'notAfter'>,
  policy: OutagePolicy,
): AfterFault {
  if (why.kind === 'limit' && !policy.waits) return { is: 'end', ending: endingOf(why) };
  const chargedMs = until - Math.max(at, resetAt ?? at);
  if (notAfter !== null && until >= notAfter) return { is: 'end', ending: endingOf(why) };
  if (usedMs + chargedMs > policy.budgetMs) {
    return {
      is: 'end',
      ending: endingOf(why, `; the outage budget of ${formatDuration(policy.budgetMs)} is used up`),
    };
  }
  return { is: 'wait', until, chargedMs, for: { kind: why.kind, reason: why.reason } };
}

/** 5 to 60 seconds, always the same for a loop: the core has no randomness. */
export function jitterOf(id: string): Duration {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return (5 + (sum % (JITTER_SECONDS - 4))) * SECOND;
}

function endingOf(fault: Fault, more = ''): Ending {
  const reason = `${fault.kind === 'limit' || fault.kind === 'infrastructure' ? '' : `${fault.kind}: `}${fault.reason}${more}`;
  if (fault.kind === 'limit') return { kind: 'usage-limit', reason, resetAt: fault.resetAt };
  return { kind: 'infrastructure', reason };
}
