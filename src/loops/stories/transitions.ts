/**
 * What follows from a judged run, and from the loop's own run of `verifyCommands`. An agent's claim that the tests are
 * green is not enough: the loop runs them itself whenever a story is about to count, and once more before it ends as
 * done. Pure.
 */
import { type Checked, type CheckSpec, COMMAND, logSlug } from '../../core/check.ts';
import type { Ending } from '../../core/ending.ts';
import { describeFailure } from '../../core/outcome.ts';
import { afterClaim, nextRed, problemOfBase, withBaseProof, withEverRed } from '../../core/proof/claims.ts';
import { type BaseGave, type BaseProof, holds, type Proof } from '../../core/proof/proof.ts';
import type { Ran } from '../../core/record.ts';
import type { Go } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { isLastReview } from './list/allowed-changes.ts';
import { type Promised, promisedIn } from './list/mode.ts';
import { needsProof, proofFeedback, rejectedBy, tamperedBy, whyOnlyThere, whyRejected } from './proof.ts';
import type { Gave, Judged, Result, Running, StoriesData, StoriesStep } from './state.ts';
import {
  commandsOf,
  EMPTY_REPLIES,
  ended,
  isComplete,
  KEPT_OUTPUT,
  known,
  MAX_EMPTY,
  putBack,
  reviewsOf,
  stepTo,
} from './state.ts';
import { feedbackOf, redNames } from './verify-messages.ts';

const MAX_TAMPERED = 3;

export function afterVerdict(before: StoriesData, judged: Judged): Result {
  const ran = known(before, 'ran');
  const running = known(before, 'running');
  const data = { ...before, judged, promised: ran.outcome.kind === 'worked' ? promisedIn(ran.said.tag) : null };
  const isTouched = judged.tasks !== running.tasks || judged.prd !== running.prd;
  // Only a finished run is judged: a review that a limit cut off has failed, whatever it had written by then.
  if (ran.outcome.kind !== 'worked') return isTouched ? putBack(data, 'failed') : byDefault(data, ran);
  const isEmpty = ran.said.firstLine === null && ran.said.tag === null && (ran.toolCalls ?? 0) === 0;
  if (isEmpty && !isTouched) {
    const emptyInARow = data.emptyInARow + 1;
    const ending = { kind: 'infrastructure', reason: EMPTY_REPLIES } as const;
    return iterationOver({ ...data, emptyInARow }, emptyInARow < MAX_EMPTY ? { to: 'again' } : { to: 'end', ending });
  }
  // Without a repository there are no commits to count, so the loop is never stuck.
  const hasCommitted = judged.head === null || running.head !== judged.head;
  const worked = { ...data, emptyInARow: 0, stuckCount: hasCommitted ? 0 : data.stuckCount + 1 };
  const wrongs = linesOf(
    judged.prd !== running.prd && 'prd.md was changed. It is read-only during the loop: leave it as it is.',
    judged.verdict.kind === 'illegal' && judged.verdict.reason,
  );
  if (wrongs.length > 0)
    return putBack({ ...worked, note: wrongs.join('\n'), tamperedInARow: data.tamperedInARow + 1 }, 'tampered');
  return afterWork({ ...worked, tamperedInARow: 0 }, judged);
}

function afterWork(data: StoriesData, judged: Judged): Result {
  const { verdict } = judged;
  const running = known(data, 'running');
  const isRepository = data.repository !== null;
  const unreviewed = whyUnreviewed(running, judged, isRepository);
  if (unreviewed !== null) return putBack({ ...data, note: unreviewed }, 'uncounted');
  switch (verdict.kind) {
    case 'illegal':
      throw new Error('tampering was looked for before');
    case 'at-cap':
      return verifyFirst(data, [verdict.story]) ?? stepTo(data, 'approve');
    case 'no-verdict':
      return needsPerson(data.promised) ? counted(data) : failed(data, verdict.reason);
    case 'undocumented':
      return putBack({ ...data, note: verdict.reason }, 'uncounted');
    case 'legal': {
      const unfixed = whyUnfixed(running, judged, isRepository);
      if (unfixed === null || needsPerson(data.promised))
        // Do not believe an agent that says that the tests are green.
        return (verdict.passed.length === 0 ? null : verifyFirst(data, verdict.passed)) ?? counted(data);
      const reason = `${unfixed}: story ${running.story.id} stays changes_requested. Address its reviewFeedback in the code, then re-submit it.`;
      return verdict.submitted === null ? failed(data, reason) : putBack({ ...data, note: reason }, 'no-fix');
    }
  }
}

/** If the reviewer changed code, its approval does not count: that code has to be reviewed as well. */
function whyUnreviewed(running: Running, { verdict, code: after }: Judged, isRepository: boolean): string | null {
  const { mode, code: before } = running;
  const approved = verdict.kind === 'at-cap' ? verdict.story : verdict.kind === 'legal' ? verdict.approved : null;
  if (mode !== 'review' || approved === null) return null;
  if (before === null ? !isRepository : before === after) return null;
  const isUnknown = before === null || after === null;
  const what = `${isUnknown ? 'Git cannot tell whether the' : 'The'} review iteration changed code`;
  return `${what}: its approval of story ${approved} does not count. Review iterations do not fix code: leave it as it is, and ask for changes where it needs some. What a command of verifyCommands writes belongs into .gitignore.`;
}

function whyUnfixed({ mode, code: before }: Running, { code: after }: Judged, isRepository: boolean): string | null {
  if (mode !== 'review-fix' || (before === null && !isRepository)) return null;
  if (before === null || after === null) return 'Git cannot tell what the review-fix iteration changed';
  return before === after ? 'The review-fix iteration changed no code' : null;
}

export function afterPutBack(data: StoriesData): Result {
  const why = data.pending?.why;
  switch (why) {
    case 'interrupted':
      return iterationOver(data, { to: 'again' });
    case 'no-fix':
    case 'uncounted':
      return failed(data, data.note ?? '');
    case 'between':
    case 'tampered': {
      if (data.tamperedInARow < MAX_TAMPERED)
        return iterationOver(data, { to: why === 'between' ? 'again' : 'next-iteration' });
      const reason = `${MAX_TAMPERED} iterations in a row made changes that they may not make. The last: ${data.note ?? ''}`;
      return iterationOver(data, { to: 'end', ending: { kind: 'tampered', reason } });
    }
    default:
      return byDefault(data, known(data, 'ran'));
  }
}

export function counted(before: StoriesData): Result {
  const { promised } = before;
  const data = { ...before, note: null, answer: null, verifying: null, reviews: reviewsAfter(before) };
  if (promised === null || promised.kind === 'complete') return byDefault(data, known(data, 'ran'));
  const isWaiting = before.request.onBlocked === 'wait';
  return isWaiting
    ? { data: { ...data, running: null }, go: { to: 'ask', question: promised.reason } }
    : stepTo({ ...data, running: null }, 'tell');
}

function reviewsAfter(data: StoriesData): StoriesData['reviews'] {
  const verdict = data.judged?.verdict;
  const isReview = known(data, 'running').mode === 'review';
  if (verdict?.kind !== 'at-cap' && (verdict?.kind !== 'legal' || !isReview)) return data.reviews;
  // The reviewer may have taken another submitted story than the one that was chosen.
  const id = verdict.kind === 'at-cap' ? verdict.story : (verdict.approved ?? verdict.sentBack);
  if (id === null) return data.reviews;
  return { ...data.reviews, [id]: reviewsOf(data, { id, reviewCount: verdict.countBefore }) + 1 };
}

function failed(data: StoriesData, reason: string): Result {
  const outcome = { kind: 'failed', exit: { by: 'code', code: 0 }, reason } as const;
  return byDefault({ ...data, note: reason }, { ...known(data, 'ran'), outcome });
}

function iterationOver(data: StoriesData, go: Go<StoriesStep>): Result {
  return { data: { ...data, running: null, pending: null }, go };
}

function byDefault(data: StoriesData, ran: Ran): Result {
  const { outcome } = ran;
  const go = { to: 'default', ran } as const;
  if (outcome.kind !== 'failed') return iterationOver(data, go);
  // If the agent itself exited with 0, only the reason why its run counts as failed.
  const own = outcome.exit.by === 'code' && outcome.exit.code === 0 ? outcome.reason : undefined;
  return iterationOver({ ...data, lastFailure: own ?? describeFailure(ran) }, go);
}

/** All commands run, even after one has failed, so that an agent can fix everything at once. */
function afterCheck({ iteration, data: before }: LoopState<StoriesData>, checked: Checked): Result {
  if (checked.isBaseline === true) return afterBaseline(before, checked);
  const commands = commandsOf(before);
  const { stories, red: earlier } = known(before, 'verifying');
  const { outcome, log, output, truncated } = checked;
  const failure = { command: commandAt(before, checked.index), outcome, log, output, truncated };
  const red = outcome.is === 'passed' ? earlier : [...earlier, failure];
  const proof = outcome.is === 'passed' ? before.proof : withEverRed(before.proof, [failure.command]);
  const goingOn = { ...before, proof, verifying: { stories, red } };
  const index = checked.index + 1;
  if (index % commands.length !== 0) return { data: goingOn, go: { to: 'check', index } };
  const data = { ...goingOn, verified: { iteration, commands, red } };
  if (red.length > 0) {
    if (stories.length > 0) return stepTo(data, 'send-back');
    // Nothing says which story broke it, so none can be sent back.
    const reason = `all stories are approved, but verifyCommands failed: ${redNames(red)}`;
    return ended(data, { kind: 'blocked', reason });
  }
  // Run all of them once more before the end.
  if (index === commands.length && isComplete(data.judged)) return { data, go: { to: 'check', index } };
  return index > commands.length && needsProof(data) ? stepTo(data, 'prove') : afterVerified(data);
}

function afterVerified(data: StoriesData): Result {
  if (known(data, 'verifying').stories.length === 0) return ended(data, { kind: 'done' });
  return data.judged?.verdict.kind === 'at-cap' ? stepTo(data, 'approve') : counted(data);
}

/** Then runs in the work tree what failed in the clean checkout: what fails only there should show now, not later. */
export function afterBaseProof(before: StoriesData, gave: BaseGave): Result {
  const problem = problemOfBase(gave, () => ({ isWitness: false, inTree: null }));
  if (problem !== null || 'impossible' in gave)
    return problem === null ? stepTo(before, 'mark') : unproved(before, problem);
  return checkRed({ ...before, proof: withBaseProof(before.proof, gave) }, gave, 0);
}

/** Ends the loop if a person asked for the proof; otherwise the loop continues without one. */
function unproved(data: StoriesData, problem: Ending): Result {
  if (data.request.provesIfPossible !== true) return ended(data, problem);
  const reason = 'reason' in problem && problem.reason !== undefined ? problem.reason : problem.kind;
  return stepTo({ ...data, proof: { ...data.proof, base: null }, unproved: reason }, 'mark');
}

function checkRed(data: StoriesData, base: BaseProof, from: number): Result {
  const index = nextRed(base, from);
  return index === null ? stepTo(data, 'mark') : { data, go: { to: 'check', index, isBaseline: true } };
}

function afterBaseline(data: StoriesData, checked: Checked): Result {
  const { base } = data.proof;
  if (base === null) throw new Error('a check is compared with a proof that was not made');
  const problem = whyOnlyThere(base, checked);
  return problem === null ? checkRed(data, base, checked.index + 1) : unproved(data, problem);
}

export function afterProof(before: StoriesData, gave: Proof): Result {
  const data = { ...before, proof: afterClaim(before.proof, gave) };
  if (holds(gave)) return afterVerified(data);
  if (known(data, 'verifying').stories.length > 0) return stepTo(data, 'send-back');
  // Nothing says which story broke it, so none can be sent back.
  const reason = `all stories are approved, but the proof failed: ${whyRejected(gave)}`;
  return ended(data, tamperedBy(data) ?? { kind: 'blocked', reason });
}

/** The review counts, but its approval does not. */
export function afterSendBack(before: StoriesData, { tasks, complete }: Gave<'send-back'>): Result {
  const judged = known(before, 'judged');
  const { stories } = known(before, 'verifying');
  const { skipReview, reviewCap } = before.request;
  const [id = ''] = stories;
  const countBefore = 'countBefore' in judged.verdict ? judged.verdict.countBefore : 0;
  const nothing = { isComplete: false, submitted: null, approved: null, isCapApproval: false, passed: [] };
  const verdict = { kind: 'legal', ...nothing, sentBack: skipReview ? null : id, countBefore } as const;
  const done = counted({ ...before, judged: { ...judged, tasks, complete, verdict } });
  const tampered = tamperedBy(before);
  if (tampered !== null) return iterationOver(done.data, { to: 'end', ending: tampered });
  // Without reviews, the list has no field for feedback, so the next prompt contains it.
  if (skipReview) return { ...done, data: { ...done.data, note: feedbackFor(before) } };
  // If the story's reviews are used up, a person is needed.
  const isCapped = isLastReview(reviewsOf(before, { id, reviewCount: countBefore }), reviewCap);
  if (!isCapped || done.go.to === 'step' || done.go.to === 'ask') return done;
  const reason = `story ${id} was approved at the review cap (${reviewCap}), but ${whySentBack(before)}`;
  return iterationOver(done.data, { to: 'end', ending: { kind: 'blocked', reason } });
}

function whySentBack(data: StoriesData): string {
  const rejected = rejectedBy(data);
  const { red } = known(data, 'verifying');
  return rejected === null ? `verifyCommands failed: ${redNames(red)}` : `the proof failed: ${whyRejected(rejected)}`;
}

/** For the agent that has to fix it. */
export function feedbackFor(data: StoriesData): string {
  const rejected = rejectedBy(data);
  return rejected === null ? feedbackOf(known(data, 'verifying').red) : proofFeedback(rejected);
}

function needsPerson(promised: Promised | null): boolean {
  return promised !== null && promised.kind !== 'complete';
}

export function verifyFirst(data: StoriesData, stories: readonly string[]): Result | null {
  const commands = commandsOf(data);
  if (commands.length === 0) return null;
  // Without stories, it is already the last run, before the end.
  const index = stories.length === 0 ? commands.length : 0;
  return { data: { ...data, verifying: { stories, red: [] } }, go: { to: 'check', index } };
}

export const checks = { spec: verifyCheck, after: afterCheck };

/** Logs go into the loop's own folder, where an agent cannot redirect the output with a link. */
function verifyCheck({ iteration, data, phase }: LoopState<StoriesData>, index: number): CheckSpec {
  const command = commandAt(data, index);
  const when = phase.at === 'check' && phase.isBaseline === true ? 'base' : String(iteration).padStart(3, '0');
  const log = `checks/verify-${when}-${index + 1}-${logSlug(command)}.log`;
  const timeoutMs = data.request.verifyTimeoutMs;
  return { kind: COMMAND, given: { command }, index, log, ...KEPT_OUTPUT, timeoutMs };
}

/** Indexes count through the commands twice: the second time is the last run, before the end. */
export function commandAt(data: StoriesData, index: number): string {
  const commands = commandsOf(data);
  return commands[index % commands.length] ?? '';
}
