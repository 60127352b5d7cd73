/** What a judged run means: it counts, it failed, it tampered, or a person is needed. Pure. */
import { describeFailure, type Outcome } from '../../core/outcome.ts';
import type { Ran } from '../../core/record.ts';
import type { Go, Step } from '../../core/rules.ts';
import { type Promised, promisedIn } from './list/promise.ts';
import type { Between, Judged, KeptVerdict, PutBackWhy, Running, StoriesStep } from './step-payloads.ts';
import {
  EMPTY_REPLIES,
  judgedOf,
  MOST_EMPTY,
  MOST_TAMPERED,
  nowRunning,
  reviewsOf,
  type StoriesData,
} from './story-state.ts';
import { passedIn, verifyFirst } from './verify-rules.ts';

type Result = Step<StoriesData, StoriesStep>;

export function afterJudge(before: StoriesData, judged: Judged): Result {
  const ran = ranOf(before);
  const running = nowRunning(before);
  const data = { ...before, judged, promised: ran.outcome.kind === 'worked' ? promisedIn(ran.said.tag) : null };
  const isTouched = judged.tasks !== running.tasks || judged.prd !== running.prd;
  // Only work is judged: a review that a limit cut off has failed, whatever it had written by then.
  if (ran.outcome.kind !== 'worked') return isTouched ? putBack(data, 'failed') : byDefault(data, ran);
  if (isEmptyReply(ran) && !isTouched) return afterEmptyReply(data);
  const worked = { ...data, emptyInARow: 0, stuckCount: hasCommitted(running, judged) ? 0 : data.stuckCount + 1 };
  const wrong = tampering(worked);
  if (wrong !== null) return putBack({ ...worked, note: wrong, tamperedInARow: data.tamperedInARow + 1 }, 'tampered');
  return afterWork({ ...worked, tamperedInARow: 0 }, judged);
}

/** Where there is no repository nobody can tell, and nobody is stuck. */
function hasCommitted({ head: before }: Running, { head: after }: Judged): boolean {
  return after === null || before !== after;
}

function afterWork(data: StoriesData, { verdict, code }: Judged): Result {
  const running = nowRunning(data);
  const isRepository = data.repository !== null;
  const unreviewed = whyUnreviewed(running, verdict, code, isRepository);
  if (unreviewed !== null) return putBack({ ...data, note: unreviewed }, 'uncounted');
  switch (verdict.kind) {
    case 'illegal':
      throw new Error('tampering was looked for before');
    case 'at-cap':
      return verifyFirst(data, [verdict.story]) ?? { data, go: { to: 'step', what: 'approve' } };
    case 'no-verdict':
      return needsPerson(data.promised) ? counted(data) : failed(data, verdict.reason);
    case 'undocumented':
      return putBack({ ...data, note: verdict.reason }, 'uncounted');
    case 'legal': {
      const unfixed = running.mode === 'review-fix' ? whyUnfixed(running.code, code, isRepository) : null;
      if (unfixed === null || needsPerson(data.promised)) return countedIfGreen(data);
      const reason = `${unfixed}: story ${running.story.id} stays changes_requested. Address its reviewFeedback in the code, then re-submit it.`;
      return verdict.submitted === null ? failed(data, reason) : putBack({ ...data, note: reason }, 'no-fix');
    }
  }
}

/** Who approves code that it has just changed has reviewed nobody's work: the next review looks at that code as well. */
function whyUnreviewed(
  { mode, code: before }: Running,
  verdict: KeptVerdict,
  after: string | null,
  isRepository: boolean,
): string | null {
  const approved = verdict.kind === 'at-cap' ? verdict.story : verdict.kind === 'legal' ? verdict.approved : null;
  if (mode !== 'review' || approved === null) return null;
  if (before === null ? !isRepository : before === after) return null;
  const what =
    before === null || after === null
      ? 'Git cannot tell whether the review iteration changed code'
      : 'The review iteration changed code';
  return `${what}: its approval of story ${approved} does not count. Review iterations do not fix code: leave it as it is, and ask for changes where it needs some. What a command of verifyCommands writes belongs into .gitignore.`;
}

/** Where there is no repository nobody can tell. */
function whyUnfixed(before: string | null, after: string | null, isRepository: boolean): string | null {
  if (before === null && !isRepository) return null;
  if (before === null || after === null) return 'Git cannot tell what the review-fix iteration changed';
  return before === after ? 'The review-fix iteration changed no code' : null;
}

/** The list is as it was. */
export function afterPutBack(data: StoriesData): Result {
  const why = data.pending?.why;
  switch (why) {
    case 'interrupted':
      return settled(data, { to: 'again' });
    case 'no-fix':
    case 'uncounted':
      return failed(data, data.note ?? '');
    case 'between':
    case 'tampered': {
      if (data.tamperedInARow < MOST_TAMPERED)
        return settled(data, { to: why === 'between' ? 'again' : 'next-iteration' });
      const reason = `${MOST_TAMPERED} iterations in a row made changes that they may not make. The last: ${data.note ?? ''}`;
      return settled(data, { to: 'end', ending: { kind: 'tampered', reason } });
    }
    default:
      return byDefault(data, ranOf(data));
  }
}

/** The loop has written the approval itself. */
export function afterApproval(data: StoriesData): Result {
  return counted(data);
}

function tampering(data: StoriesData): string | null {
  const { judged } = data;
  const wrongs = [
    ...(judged?.prd === nowRunning(data).prd
      ? []
      : ['prd.md was changed. It is read-only during the loop: leave it as it is.']),
    ...(judged?.verdict.kind === 'illegal' ? [judged.verdict.reason] : []),
  ];
  return wrongs.length === 0 ? null : wrongs.join('\n');
}

/** Whoever says that the tests are green is not believed. */
function countedIfGreen(data: StoriesData): Result {
  const passed = passedIn(judgedOf(data));
  return (passed.length === 0 ? null : verifyFirst(data, passed)) ?? counted(data);
}

/** An iteration that counts. */
export function counted(before: StoriesData): Result {
  const { promised } = before;
  const data = { ...before, note: null, answer: null, verifying: null, reviews: reviewsAfter(before) };
  return needsPerson(promised)
    ? { data: { ...data, running: null }, go: { to: 'step', what: 'tell' } }
    : byDefault(data, ranOf(data));
}

function reviewsAfter(data: StoriesData): StoriesData['reviews'] {
  const { mode, story } = nowRunning(data);
  const verdict = data.judged?.verdict;
  const isReviewed =
    verdict?.kind === 'at-cap' ||
    (verdict?.kind === 'legal' && mode === 'review' && (verdict.approved ?? verdict.sentBack) !== null);
  if (!isReviewed) return data.reviews;
  const id = verdict.kind === 'at-cap' ? verdict.story : (verdict.approved ?? verdict.sentBack ?? story.id);
  // A reviewer may have taken another submitted story than the one that was chosen; an older journal tells of that one only.
  const reviewCount = verdict.countBefore ?? (id === story.id ? story.reviewCount : 0);
  return { ...data.reviews, [id]: reviewsOf(data, { ...story, id, reviewCount }) + 1 };
}

function failed(data: StoriesData, reason: string): Result {
  const outcome: Outcome = { kind: 'failed', exit: { by: 'code', code: 0 }, reason };
  return byDefault({ ...data, note: reason }, { ...ranOf(data), outcome });
}

function afterEmptyReply(before: StoriesData): Result {
  const data = { ...before, emptyInARow: before.emptyInARow + 1 };
  if (data.emptyInARow < MOST_EMPTY) return settled(data, { to: 'again' });
  return settled(data, { to: 'end', ending: { kind: 'infrastructure', reason: EMPTY_REPLIES } });
}

/** As the iteration began. */
export function putBack(data: StoriesData, why: PutBackWhy): Result {
  const { tasks, prd, head } = nowRunning(data);
  return { data: { ...data, pending: { why, tasks, prd, head } }, go: { to: 'step', what: 'put-back' } };
}

/** As the loop last saw it: whatever writes into it between two iterations is no person, who would have paused the loop. */
export function putBackBetween(before: StoriesData, { reason, tasks, prd }: Between): Result {
  const data = { ...before, note: reason, tamperedInARow: before.tamperedInARow + 1 };
  return {
    data: { ...data, pending: { why: 'between', tasks, prd, head: null } },
    go: { to: 'step', what: 'put-back' },
  };
}

/** Nothing of this iteration is left to be judged. */
export function settled(data: StoriesData, go: Go<StoriesStep>): Result {
  return { data: { ...data, running: null, pending: null }, go };
}

function byDefault(data: StoriesData, ran: Ran): Result {
  return settled({ ...data, lastFailure: failureOf(ran) ?? data.lastFailure }, { to: 'default', ran });
}

/** Of a run that did not fail by itself, only what was wrong with it. */
function failureOf(ran: Ran): string | null {
  const { outcome } = ran;
  if (outcome.kind !== 'failed') return null;
  const isGoodExit = outcome.exit.by === 'code' && outcome.exit.code === 0;
  return isGoodExit && outcome.reason !== undefined ? outcome.reason : describeFailure(ran);
}

/** No words, and no work either. */
function isEmptyReply({ said, toolCalls = 0 }: Ran): boolean {
  return said.firstLine === null && said.tag === null && toolCalls === 0;
}

function needsPerson(promised: Promised | null): boolean {
  return promised !== null && promised.kind !== 'complete';
}

function ranOf({ ran }: StoriesData): Ran {
  if (ran === null) throw new Error('no run is being judged');
  return ran;
}
