/**
 * Check 2.5 of an iteration: only its mode's changes were made. Implementing submits one story, a review judges one that
 * was submitted, a fix re-submits one; new stories start from nothing, and what was submitted is judged as it was written.
 * Only implementing may divide an open story, and nothing that it asks for is lost by that.
 */
import { movedCriteria } from './criteria.ts';
import type { Snapshot, StoryBefore } from './snapshot.ts';
import type { Story, TasksFile } from './tasks.ts';
import { changed, cut, quoted } from './wording.ts';

export type IterationMode = 'implement' | 'review' | 'review-fix';

export const CAP_PREFIX = '[AUTO-APPROVED AT CAP]';

export interface Judging {
  readonly mode: IterationMode;
  /** The story that was chosen; it is named where nothing was judged. */
  readonly story: string | null;
  readonly reviewCap: number;
  /** How many reviews the harness itself has counted, by the story's id; of any other the file's own count is believed. */
  readonly reviews?: ReadonlyMap<string, number>;
}

export interface Transitions {
  readonly problems: readonly string[];
  /** Why this review judged nothing, where that is all that is wrong with it. */
  readonly noVerdict: string | null;
  /** A last review that asked for changes, or approved without marking what it left to say, and is otherwise in order. */
  readonly atCap: { readonly story: string; readonly wasApproved: boolean; readonly reason: string } | null;
}

/** A story before and after, and which of the seed's three fields differ. */
interface Pair {
  readonly was: StoryBefore;
  readonly is: Story;
  readonly changes: readonly Change[];
}
type Change = 'passes' | 'reviewStatus' | 'reviewCount';
const REVIEW_FIELDS: readonly Change[] = ['passes', 'reviewStatus', 'reviewCount'];

export function judgeTransitions(before: Snapshot, after: TasksFile, judging: Judging): Transitions {
  const pairs = after.userStories.flatMap((is) => {
    const was = before.get(is.id);
    return was === undefined ? [] : [{ was, is, changes: changesOf(was, is) }];
  });
  const touched = pairs.filter(({ changes }) => changes.length > 0);
  const added = after.userStories.filter(({ id }) => !before.has(id));
  const open = new Map([...before].filter(([, { reviewStatus }]) => reviewStatus === null));
  const { problems: lost, split } =
    judging.mode === 'implement'
      ? movedCriteria(open, after, (id) => !before.has(id))
      : { problems: [], split: new Set<string>() };
  const always = [
    ...added.flatMap(problemsOfNew),
    ...lost,
    ...pairs.flatMap((pair) => rewritten(pair, judging.mode, split)),
    ...pairs.flatMap((pair) => strayFeedback(pair, judging.mode)),
  ];
  const only = (problems: readonly string[]): Transitions => ({ problems, noVerdict: null, atCap: null });
  switch (judging.mode) {
    case 'implement':
      return only([...implementProblems(touched), ...always]);
    case 'review-fix':
      return only([...fixProblems(touched), ...always]);
    case 'review':
      return reviewed(touched, judging, always);
  }
}

/** Check 2 tells an agent to set a `passes` back that nobody approved: doing so is no change that a mode forbids. */
function changesOf(was: StoryBefore, is: Story): Change[] {
  const isRepaired = was.passes && !is.passes && was.reviewStatus !== 'approved';
  return REVIEW_FIELDS.filter((field) => was[field] !== is[field] && !(field === 'passes' && isRepaired));
}

function implementProblems(touched: readonly Pair[]): string[] {
  const submitted = touched.filter(isSubmission);
  const illegal = touched.flatMap((pair) =>
    pair.changes
      .filter((field) => field !== 'reviewStatus' || !submitted.includes(pair))
      .map(
        (field) =>
          `Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story ${cut(pair.is.id)} had illegal transition: ${changed(field, pair.was[field], pair.is[field])}.`,
      ),
  );
  if (submitted.length <= 1) return illegal;
  return [
    ...illegal,
    `Implement iterations may submit at most one story for review. Found ${submitted.length} stories transitioning reviewStatus null → 'needs_review' (${idsOf(submitted)}).`,
  ];
}

function isSubmission({ was, is }: Pair): boolean {
  return was.reviewStatus === null && is.reviewStatus === 'needs_review';
}

function fixProblems(touched: readonly Pair[]): string[] {
  const again = touched.filter(
    ({ was, is }) => was.reviewStatus === 'changes_requested' && is.reviewStatus === 'needs_review',
  );
  const illegal = touched.flatMap(({ was, is, changes }) =>
    changes.flatMap((field) => {
      if (field === 'reviewStatus' && again.some((pair) => pair.is === is)) return [];
      const transition = changed(field, was[field], is[field]);
      if (was.reviewStatus !== 'changes_requested')
        return [
          `Review-fix iterations may only re-submit a story that a review sent back (reviewStatus='changes_requested'). Story ${cut(is.id)} had illegal transition: ${transition}.`,
        ];
      return [
        `Review-fix iterations cannot approve stories. Story ${cut(is.id)} must go back to needs_review for re-review. Illegal transition: ${transition}.`,
      ];
    }),
  );
  const uncleared = again
    .filter(({ is }) => is.reviewFeedback.trim() !== '')
    .map(
      ({ was, is }) =>
        `Review-fix iterations must clear reviewFeedback when they re-submit. Story ${cut(is.id)} had illegal transition: ${changed('reviewFeedback', was.reviewFeedback, is.reviewFeedback)}.`,
    );
  const several =
    again.length > 1
      ? [
          `Review-fix iterations may re-submit at most one story. Found ${again.length} stories transitioning reviewStatus 'changes_requested' → 'needs_review' (${idsOf(again)}).`,
        ]
      : [];
  return [...illegal, ...uncleared, ...several];
}

function reviewed(touched: readonly Pair[], judging: Judging, always: readonly string[]): Transitions {
  const [pair, ...others] = touched;
  if (pair === undefined) {
    const story = judging.story === null ? '' : ` on story ${cut(judging.story)}`;
    const reason = `Review iteration ended without a verdict${story}: reviewCount must increment by exactly 1, and reviewStatus must change from 'needs_review' to 'approved' (with passes=true) or 'changes_requested' (with reviewFeedback).`;
    return { problems: always, noVerdict: always.length === 0 ? reason : null, atCap: null };
  }
  if (others.length > 0) {
    const several = `Review iteration made illegal transition: modified review fields on multiple stories (${idsOf(touched)}). Review may only modify one story per iteration. Illegal transitions: ${touched.map(transitionsOf).join('; ')}.`;
    return { problems: [several, ...always], noVerdict: null, atCap: null };
  }
  const illegal = (details: string): string =>
    `Review iteration made illegal transition on story ${cut(pair.is.id)}: ${details}.`;
  const problems = [...verdictProblems(pair, judging).map(illegal), ...always];
  return { problems, noVerdict: null, atCap: problems.length === 0 ? wrongAtCap(pair, judging, illegal) : null };
}

function wrongAtCap(pair: Pair, judging: Judging, illegal: (details: string) => string): Transitions['atCap'] {
  const { is } = pair;
  if (!isLastReview(reviewsOf(pair, judging), judging.reviewCap)) return null;
  const which = `this was review ${is.reviewCount} and the review cap is ${judging.reviewCap}`;
  if (is.reviewStatus === 'changes_requested') {
    const details = `reviewStatus 'needs_review' → 'changes_requested', but ${which}. Approve it (reviewStatus='approved', passes=true) and keep the remaining concerns in reviewFeedback, prefixed with ${CAP_PREFIX}`;
    return { story: is.id, wasApproved: false, reason: illegal(details) };
  }
  if (is.reviewFeedback.trim() === '' || is.reviewFeedback.startsWith(CAP_PREFIX)) return null;
  const details = `it is approved with reviewFeedback ${quoted(is.reviewFeedback)}, and ${which}. Keep what is left to say, and prefix it with ${CAP_PREFIX}`;
  return { story: is.id, wasApproved: true, reason: illegal(details) };
}

/** The harness names a story, the reviewer may take another submitted one: the count of the one that it took decides. */
function reviewsOf({ was, is }: Pair, { reviews }: Judging): number {
  return reviews?.get(is.id) ?? was.reviewCount;
}

function verdictProblems(pair: Pair, judging: Judging): string[] {
  const { was, is } = pair;
  const details: string[] = [];
  if (was.reviewStatus !== 'needs_review')
    details.push(
      `only a story with reviewStatus='needs_review' may be reviewed, and it was never submitted (${changed('reviewStatus', was.reviewStatus, is.reviewStatus)})`,
    );
  if (is.reviewCount !== was.reviewCount + 1)
    details.push(`reviewCount must increment by exactly 1 (was ${was.reviewCount}, now ${is.reviewCount})`);
  if (is.reviewStatus === 'approved') {
    if (!is.passes) details.push("set reviewStatus='approved' but passes is still false");
    if (is.reviewFeedback.startsWith(CAP_PREFIX) && !isLastReview(reviewsOf(pair, judging), judging.reviewCap))
      details.push(
        `reviewFeedback says ${CAP_PREFIX}, but this was review ${is.reviewCount} and the review cap is ${judging.reviewCap}`,
      );
  } else if (is.reviewStatus === 'changes_requested') {
    if (is.passes) details.push(`set reviewStatus='changes_requested' but ${changed('passes', was.passes, is.passes)}`);
    if (is.reviewFeedback.trim() === '')
      details.push("set reviewStatus='changes_requested' but reviewFeedback is empty");
  } else {
    details.push(
      `reviewStatus changed to ${quoted(is.reviewStatus)} — must be 'approved' or 'changes_requested' after a review (was ${quoted(was.reviewStatus)})`,
    );
  }
  return details;
}

/** Whether a review of a story, `reviews` of which have been, is the last one that the cap allows. */
export function isLastReview(reviews: number, reviewCap: number): boolean {
  return reviews + 1 >= reviewCap;
}

function problemsOfNew({ id, passes, reviewStatus, reviewCount }: Story): string[] {
  const must = (field: string, wanted: unknown, got: unknown): string[] =>
    got === wanted
      ? []
      : [`New story ${cut(id)} must start with ${field}=${quoted(wanted)} (got ${field}=${quoted(got)}).`];
  return [
    ...must('passes', false, passes),
    ...must('reviewStatus', null, reviewStatus),
    ...must('reviewCount', 0, reviewCount),
  ];
}

/** Otherwise the words that a review asks for could be struck out instead of being met, also on the way to it. */
function rewritten(pair: Pair, mode: IterationMode, split: ReadonlySet<string>): string[] {
  const { was, is } = pair;
  return frozenWords(pair, mode, split)
    .filter((field) => was.title !== undefined && JSON.stringify(was[field]) !== JSON.stringify(is[field]))
    .map((field) => `${whyFrozen(pair, mode)} Illegal transition: ${changed(field, was[field], is[field])}.`);
}

type Words = 'title' | 'description' | 'acceptanceCriteria';

function frozenWords({ was, is }: Pair, mode: IterationMode, split: ReadonlySet<string>): readonly Words[] {
  if (mode !== 'implement' || was.reviewStatus !== null) return ['title', 'description', 'acceptanceCriteria'];
  // The criteria of an open story are watched one by one; the first part of a split one says less than the whole did.
  return is.reviewStatus === null || split.has(is.id) ? [] : ['title', 'description'];
}

function whyFrozen({ was, is }: Pair, mode: IterationMode): string {
  const story = `Story ${cut(is.id)}`;
  return was.reviewStatus === null && is.reviewStatus === null
    ? `${story} is not this iteration's: ${mode === 'review' ? 'a review' : 'a review-fix'} may add stories, and rewrites none.`
    : `${story} is submitted and is judged as it was written.`;
}

/** Feedback is written by a verdict and cleared by the re-submission that answers it; nothing else changes it. */
function strayFeedback({ was, is, changes }: Pair, mode: IterationMode): string[] {
  if (was.reviewFeedback === undefined || was.reviewFeedback === is.reviewFeedback) return [];
  if (mode !== 'implement' && changes.includes('reviewStatus')) return [];
  return [
    `${mode === 'review' ? 'Only the story under review' : 'Only a review'} may get new reviewFeedback. Story ${cut(is.id)} had illegal transition: ${changed('reviewFeedback', was.reviewFeedback, is.reviewFeedback)}.`,
  ];
}

function transitionsOf({ was, is, changes }: Pair): string {
  return `${cut(is.id)} ${changes.map((field) => changed(field, was[field], is[field])).join(', ')}`;
}

function idsOf(pairs: readonly Pair[]): string {
  return pairs.map(({ is }) => cut(is.id)).join(', ');
}
