/** What a loop inside one session was asked for. */
import { HOOK_SECONDS } from '../../agents/session/host.ts';

export interface SessionRequest {
  readonly task: string;
  readonly promise: string;
  /** How often the agent is sent back at most. */
  readonly maximumIterations: number;
  readonly minToolCalls: number;
  /** What becomes of a promise that no work stands behind. */
  readonly onPromiseNoWork: (typeof NO_WORK_POLICIES)[number];
  readonly promisePosition: (typeof PROMISE_POSITIONS)[number];
  /** So many continuations in a row that brought nothing end the loop; null for never. */
  readonly stuckAfter: number | null;
  /** Shell commands of the user's own that must exit 0 before a promise counts. */
  readonly checks: readonly string[];
  /** For all checks of one promise together. */
  readonly checkSeconds: number;
  readonly ultrawork: boolean;
}

export const NO_WORK_POLICIES = ['reject', 'warn', 'accept'] as const;
export const PROMISE_POSITIONS = ['anywhere', 'end'] as const;

/** So that all checks of one promise are over before the hook would be cut off. */
export const LONGEST_CHECKS_SECONDS = HOOK_SECONDS - 60;

export const SESSION_DEFAULTS = {
  promise: 'DONE',
  maximumIterations: 100,
  minToolCalls: 1,
  onPromiseNoWork: 'reject',
  promisePosition: 'anywhere',
  stuckAfter: null,
  checks: [],
  checkSeconds: LONGEST_CHECKS_SECONDS,
  ultrawork: false,
} as const satisfies Omit<SessionRequest, 'task'>;

export const MOST_ITERATIONS = 1_000_000;
const LONGEST_PROMISE = 200;

/** What is wrong with a promise that no agent could ever give as it stands; null when it can. */
export function promiseTrouble(promise: string): string | null {
  if (promise.trim() === '') return 'the promise is empty';
  if (/[<>]/.test(promise)) return 'the promise is the text between the tags, without < and >, as in DONE';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(promise))
    return 'the promise is one line without control characters';
  if (promise !== promise.trim()) return 'the promise has spaces at its ends, where no agent would say them';
  return promise.length > LONGEST_PROMISE ? `the promise is longer than ${LONGEST_PROMISE} characters` : null;
}

export function markerOf(promise: string): string {
  return `<promise>${promise}</promise>`;
}

/**
 * Is the promise given? The exact marker, case and all, in the agent's own words. `texts` is everything that the agent said
 * since the last look, oldest first; the last one is where it ended.
 */
export function isPromised(
  { promise, promisePosition }: Pick<SessionRequest, 'promise' | 'promisePosition'>,
  texts: readonly string[],
): boolean {
  const marker = markerOf(promise);
  if (promisePosition === 'end') return lastLineOf(texts.findLast((text) => text.trim() !== '') ?? '') === marker;
  return texts.some((text) => text.includes(marker));
}

function lastLineOf(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
}
