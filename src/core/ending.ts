/** Why a loop is over, and the exit code for each reason. All loop kinds share this table of codes. */

import type { BudgetUse } from './budget/terms.ts';
import type { Outcome } from './outcome.ts';
import type { Instant } from './time.ts';

export type Ending =
  | { readonly kind: 'done' }
  /** The work is done and proved; committing or pushing it failed. */
  | { readonly kind: 'unpublished'; readonly reason: string }
  | { readonly kind: 'iteration-limit'; readonly limit: number }
  /** `reason`: that of the last failure. */
  | { readonly kind: 'kept-failing'; readonly failures: number; readonly reason?: string }
  | { readonly kind: 'auth' | 'blocked' | 'tampered' | 'infrastructure'; readonly reason: string }
  /** `decision`: the reason is a question to a person. `waiting`: the agent waits for a person. */
  | { readonly kind: 'decision' | 'waiting'; readonly reason: string }
  /** It made no progress. `isBetween`: its iteration was over. */
  | { readonly kind: 'stuck'; readonly reason: string; readonly isBetween?: true }
  /** A budget is used up. `until`: the time after which no agent is started. */
  | { readonly kind: 'budget'; readonly of: 'until'; readonly until: Instant }
  | ({ readonly kind: 'budget' } & BudgetUse)
  | { readonly kind: 'usage-limit'; readonly reason: string; readonly resetAt: Instant | null }
  /** A person stopped it. It can be continued unless given up for a `reason`. `isBetween`: its iteration was over. */
  | { readonly kind: 'stopped'; readonly reason?: string; readonly isBetween?: true }
  | { readonly kind: 'configuration'; readonly reason: string; readonly hint?: string };

export const EXIT_CODES = {
  done: 0,
  'iteration-limit': 1,
  configuration: 2,
  'kept-failing': 3,
  infrastructure: 3,
  auth: 4,
  blocked: 5,
  decision: 6,
  stuck: 7,
  budget: 8,
  stopped: 130,
  tampered: 9,
  'usage-limit': 10,
  unpublished: 11,
  // Prescribed by seed 002.
  waiting: 0,
} as const satisfies Record<Ending['kind'], number>;

/** Can a loop with this ending be continued once the reason is gone? */
export function canContinue(ending: Ending): boolean {
  if (ending.kind === 'stopped') return ending.reason === undefined;
  return ending.kind !== 'done' && ending.kind !== 'waiting';
}

/** Seed 002: an agent that exits with this code is waiting for something and must not be started again. */
export const WAIT_EXIT_CODE = 42;

/** A loop that a signal stopped: unfinished, so it can be resumed. */
export const EXIT_INTERRUPTED = 130;

/** The ending for a fault that waiting does not cure, or that is not waited for; null for any other outcome. */
export function endingOfFault(outcome: Outcome): Ending | null {
  if (outcome.kind === 'limit') return { kind: 'usage-limit', reason: outcome.reason, resetAt: outcome.resetAt };
  const isFinal = outcome.kind === 'auth' || outcome.kind === 'blocked' || outcome.kind === 'tampered';
  return isFinal ? { kind: outcome.kind, reason: outcome.reason } : null;
}
