/** What a stories loop is started with, and what the seed gives where nothing is said. */
import { DEFAULT_AGENT } from '../../agents/index.ts';
import { RalphError } from '../../core/error.ts';
import { formatDuration } from '../../core/text/duration.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import type { Duration } from '../../core/time.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { DEFAULT_REVIEW_CAP } from './list/active-marker.ts';

export interface StoriesRequest {
  readonly ralphDir: string;
  readonly maxIterations: number;
  readonly agent: string;
  readonly model: string | null;
  /** For reviews; null: who implements reviews, too, with a fresh context. */
  readonly reviewAgent: string | null;
  readonly reviewModel: string | null;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly backoffUnitMs: Duration;
  /** Ends the loop after so many iterations in a row without a commit; null, and in loops of older releases nothing: never. */
  readonly stuckAfter?: number | null;
  /** False: `verifyCommands` are left to the agents, as the seed has it. */
  readonly verify?: boolean;
  readonly verifyTimeoutMs?: Duration;
  /** What a person has answered to the question with which the last loop ended. */
  readonly answer: string | null;
  /** Resolved when the loop begins; null where nothing was said yet, and in loops of older releases, which ran freely. */
  readonly sandbox: SandboxRequest | null;
}

/** Longer than most test suites take: a command that waits for input must not hold the loop for ever. */
export const DEFAULT_VERIFY_TIMEOUT: Duration = 30 * 60_000;

export const STORIES_DEFAULTS: StoriesRequest = {
  ralphDir: 'ralph',
  maxIterations: 15,
  agent: DEFAULT_AGENT,
  model: null,
  reviewAgent: null,
  reviewModel: null,
  skipReview: false,
  reviewCap: DEFAULT_REVIEW_CAP,
  backoffUnitMs: 1000,
  stuckAfter: null,
  verify: true,
  verifyTimeoutMs: DEFAULT_VERIFY_TIMEOUT,
  answer: null,
  sandbox: null,
};

export function storiesRequest(given: Partial<StoriesRequest>): StoriesRequest {
  const request = { ...STORIES_DEFAULTS, ...given };
  refuseBelowOne('--max-iterations', request.maxIterations);
  refuseBelowOne('--review-cap', request.reviewCap);
  if (request.stuckAfter != null) refuseBelowOne('--stuck-after', request.stuckAfter);
  return request;
}

export function sandboxOf({ sandbox }: StoriesRequest): 'none' | 'os' | 'docker' {
  const kind = sandbox?.kind;
  return kind === 'os' || kind === 'docker' ? kind : 'none';
}

export function isSandboxed(request: StoriesRequest): boolean {
  return sandboxOf(request) !== 'none';
}

/** The command that starts a loop like this one: only what differs from the defaults is named. */
export function runAgain(request: StoriesRequest): string {
  const { sandbox, model, reviewAgent, reviewModel, stuckAfter } = request;
  const usual = STORIES_DEFAULTS;
  const differs = (name: keyof StoriesRequest): boolean => (request[name] ?? usual[name]) !== usual[name];
  const words = [
    ...(differs('ralphDir') ? ['--ralph-dir', request.ralphDir] : []),
    ...(differs('maxIterations') ? ['-n', String(request.maxIterations)] : []),
    ...(model === null ? [] : ['-m', model]),
    ...(differs('agent') ? ['--agent', request.agent] : []),
    ...(reviewAgent === null ? [] : ['--review-agent', reviewAgent]),
    ...(reviewModel === null ? [] : ['--review-model', reviewModel]),
    ...(request.skipReview ? ['--skip-review'] : []),
    ...(differs('reviewCap') ? ['--review-cap', String(request.reviewCap)] : []),
    ...(request.verify === false ? ['--no-verify'] : []),
    ...(differs('verifyTimeoutMs') ? ['--verify-timeout', formatDuration(request.verifyTimeoutMs ?? 0)] : []),
    ...(differs('backoffUnitMs') ? ['--failure-backoff', formatDuration(request.backoffUnitMs)] : []),
    ...(stuckAfter == null ? [] : ['--stuck-after', String(stuckAfter)]),
    ...(sandbox?.kind === 'none' ? ['--no-sandbox'] : []),
    ...(sandbox?.allowHosts ?? []).flatMap((host) => ['--allow-host', host]),
    ...(sandbox?.allowWrite ?? []).flatMap((path) => ['--allow-write', path]),
    ...(sandbox?.denyWrite ?? []).flatMap((path) => ['--deny-write', path]),
    ...(sandbox?.denyRead ?? []).flatMap((path) => ['--deny-read', path]),
  ];
  return ['ralph stories run', ...words.map(quoteWord)].join(' ');
}

function refuseBelowOne(option: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RalphError('STORIES_OPTION', `${option} must be a positive integer, got ${value}`);
}
