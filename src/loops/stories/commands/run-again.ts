/** The command that starts a loop like this one: only what differs from the defaults is named. */

import { formatDuration } from '../../../core/text/duration.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import { STORIES_DEFAULTS, type StoriesRequest } from '../request.ts';

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
