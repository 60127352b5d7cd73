/** The flags about reviews by another agent. */
import type { Command } from 'commander';
import { RalphError } from '../../../core/error.ts';
import { DEFAULT_ROUNDS } from '../../../core/review/review.ts';
import type { FallbackSpec } from '../../../engine/fallbacks.ts';
import type { ReviewSpec } from '../../../engine/reviewer.ts';
import { namedAgent, positiveInteger } from '../values.ts';

export interface ReviewFlags {
  readonly reviewAgent?: FallbackSpec;
  readonly reviewRounds?: number;
}

/** For a group of `--help`. */
export const REVIEW_FLAGS = ['review-agent', 'review-rounds'];

export function addReviewFlags(command: Command): Command {
  const rounds = `end the loop when this agent has rejected the work this many times (default: ${DEFAULT_ROUNDS})`;
  return addReviewAgent(command).option('--review-rounds <n>', rounds, positiveInteger);
}

/** `ralph resume` takes this flag, too: a loop can be continued with another reviewer. */
export function addReviewAgent(command: Command): Command {
  return command.option(
    '--review-agent <agent>',
    'agent that must approve the work before it counts as done, such as codex',
    namedAgent,
  );
}

export function reviewFrom({ reviewAgent, reviewRounds }: ReviewFlags): { readonly review?: ReviewSpec } {
  if (reviewAgent !== undefined) return { review: { ...reviewAgent, rounds: reviewRounds ?? DEFAULT_ROUNDS } };
  if (reviewRounds === undefined) return {};
  const hint = 'Name the agent that reviews: --review-agent codex';
  throw new RalphError('USAGE', '--review-rounds needs --review-agent', { hint });
}
