/** Why a loop is over, and the exit code that says so. The table of codes is one for all front doors. */
import type { Instant } from './time.ts';

export type Ending =
  | { readonly kind: 'done' }
  /** The work is done and proved; committing or pushing it failed. */
  | { readonly kind: 'unpublished'; readonly reason: string }
  | { readonly kind: 'iteration-limit'; readonly limit: number }
  | { readonly kind: 'kept-failing'; readonly failures: number }
  | { readonly kind: 'auth' | 'blocked' | 'tampered' | 'infrastructure'; readonly reason: string }
  /** It went on without getting anywhere, and was asked to end then. */
  | { readonly kind: 'stuck'; readonly reason: string }
  /** A person has to decide something first; the reason is the question. */
  | { readonly kind: 'decision'; readonly reason: string }
  | { readonly kind: 'usage-limit'; readonly reason: string; readonly resetAt: Instant | null }
  /** Somebody told it to, or its agent waits for somebody. */
  | { readonly kind: 'stopped'; readonly reason?: string }
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
  stopped: 0,
  tampered: 9,
  'usage-limit': 10,
  unpublished: 11,
} as const satisfies Record<Ending['kind'], number>;

/** A loop that was told to stop by a signal: unfinished, so it can be resumed. */
export const EXIT_INTERRUPTED = 130;
