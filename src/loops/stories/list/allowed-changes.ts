/**
 * Check 2.5 of an iteration: it made only the changes that its mode allows. An implementation submits one story and may
 * split open ones. A review judges one submitted story, without rewriting it. A fix re-submits one. New stories start
 * unreviewed.
 */
import { linesOf } from '../../../core/text/lines-of.ts';
import { changed, cut, quoted, type Snapshot, type Story, type StoryBefore, type TasksFile } from './tasks.ts';

export const ITERATION_MODES = ['implement', 'review', 'review-fix'] as const;
export type IterationMode = (typeof ITERATION_MODES)[number];

export const CAP_PREFIX = '[AUTO-APPROVED AT CAP]';

export interface JudgeContext {
  readonly mode: IterationMode;
  readonly story: string | null;
  readonly reviewCap: number;
  /** Without reviews, checks 2 and 2.5 are skipped. */
  readonly skipReview: boolean;
  /** The harness's own count of reviews, by story id; for other stories, the count in the file is used. */
  readonly reviews?: ReadonlyMap<string, number>;
}

export interface Transitions {
  readonly problems: readonly string[];
  /** Why this review gave no verdict. Like `atCap`, it matters only if there are no problems. */
  readonly noVerdict?: string;
  readonly atCap?: AtCap;
}

/** The last review that the cap allows asked for changes, or approved without marking its remaining feedback. */
export type AtCap = { readonly story: string; readonly wasApproved: boolean; readonly reason: string };

type Pair = { readonly was: StoryBefore; readonly is: Story; readonly changes: readonly Change[] };
const FRESH = { passes: false, reviewStatus: null, reviewCount: 0 } as const;
type Change = keyof typeof FRESH;
const REVIEW_FIELDS = Object.keys(FRESH) as Change[];

export function judgeTransitions(before: Snapshot, after: TasksFile, judging: JudgeContext): Transitions {
  const { mode } = judging;
  const pairs = after.userStories.flatMap((is) => {
    const was = before.get(is.id);
    return was === undefined ? [] : [{ was, is, changes: changesOf(was, is) }];
  });
  const touched = pairs.filter(({ changes }) => changes.length > 0);
  const open = new Map([...before].filter(([, { reviewStatus }]) => mode === 'implement' && reviewStatus === null));
  const { problems: lost, split } = movedCriteria(open, before, after);
  const always = [
    ...after.userStories.filter(({ id }) => !before.has(id)).flatMap(problemsOfNew),
    ...lost,
    ...pairs.flatMap((pair) => rewritten(pair, mode, split)),
    ...pairs.flatMap((pair) => strayFeedback(pair, mode)),
  ];
  if (mode === 'review') return reviewed(touched, judging, always);
  return { problems: [...submissionProblems(touched, mode), ...always] };
}

/** Check 2 tells an agent to set `passes` back to false if no review approved it, so every mode allows that change. */
function changesOf(was: StoryBefore, is: Story): Change[] {
  const isRepaired = was.passes && !is.passes && was.reviewStatus !== 'approved';
  return REVIEW_FIELDS.filter((field) => was[field] !== is[field] && !(field === 'passes' && isRepaired));
}

/** The two modes that write code submit at most one story, and change no other review field. */
function submissionProblems(touched: readonly Pair[], mode: 'implement' | 'review-fix'): string[] {
  const isFix = mode === 'review-fix';
  const from = isFix ? 'changes_requested' : null;
  const submitted = touched.filter(({ was, is }) => was.reviewStatus === from && is.reviewStatus === 'needs_review');
  const rule = (pair: Pair, field: Change): string => {
    if (!isFix)
      return `Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. ${illegal(pair, field)}`;
    if (pair.was.reviewStatus !== from)
      return `Review-fix iterations may only re-submit a story that a review sent back (reviewStatus='changes_requested'). ${illegal(pair, field)}`;
    return `Review-fix iterations cannot approve stories. Story ${cut(pair.is.id)} must go back to needs_review for re-review. Illegal transition: ${transition(pair, field)}.`;
  };
  const others = touched.flatMap((pair) =>
    pair.changes.filter((field) => field !== 'reviewStatus' || !submitted.includes(pair)).map((one) => rule(pair, one)),
  );
  const mustClear = 'Review-fix iterations must clear reviewFeedback when they re-submit.';
  const uncleared = submitted.filter(({ is }) => isFix && is.reviewFeedback.trim() !== '');
  const may = isFix ? 'Review-fix iterations may re-submit' : 'Implement iterations may submit';
  const atMostOne = `${may} at most one story${isFix ? '' : ' for review'}.`;
  return linesOf(
    ...others,
    ...uncleared.map((pair) => `${mustClear} ${illegal(pair, 'reviewFeedback')}`),
    submitted.length > 1 &&
      `${atMostOne} Found ${submitted.length} stories transitioning ${changed('reviewStatus', from, 'needs_review')} (${idsOf(submitted)}).`,
  );
}

function reviewed(touched: readonly Pair[], judging: JudgeContext, always: readonly string[]): Transitions {
  const [pair, ...others] = touched;
  if (pair === undefined) {
    const story = judging.story === null ? '' : ` on story ${cut(judging.story)}`;
    const reason = `Review iteration ended without a verdict${story}: reviewCount must increment by exactly 1, and reviewStatus must change from 'needs_review' to 'approved' (with passes=true) or 'changes_requested' (with reviewFeedback).`;
    return { problems: always, noVerdict: reason };
  }
  if (others.length > 0) {
    const transitions = (one: Pair): string => one.changes.map((field) => transition(one, field)).join(', ');
    const each = touched.map((one) => `${cut(one.is.id)} ${transitions(one)}`);
    const several = `Review iteration made illegal transition: modified review fields on multiple stories (${idsOf(touched)}). Review may only modify one story per iteration. Illegal transitions: ${each.join('; ')}.`;
    return { problems: [several, ...always] };
  }
  const blamed = (details: string): string =>
    `Review iteration made illegal transition on story ${cut(pair.is.id)}: ${details}.`;
  // The reviewer may take another submitted story than the harness named: the count of the one that it took decides.
  const reviews = judging.reviews?.get(pair.is.id) ?? pair.was.reviewCount;
  const isLast = isLastReview(reviews, judging.reviewCap);
  const which = `this was review ${pair.is.reviewCount} and the review cap is ${judging.reviewCap}`;
  const problems = [...verdictProblems(pair, isLast, which).map(blamed), ...always];
  const wrong = isLast ? wrongAtCap(pair.is, which) : null;
  if (wrong === null) return { problems };
  const wasApproved = pair.is.reviewStatus === 'approved';
  return { problems, atCap: { story: pair.is.id, wasApproved, reason: blamed(wrong) } };
}

function wrongAtCap({ reviewStatus, reviewFeedback }: Story, which: string): string | null {
  if (reviewStatus === 'changes_requested')
    return `reviewStatus 'needs_review' → 'changes_requested', but ${which}. Approve it (reviewStatus='approved', passes=true) and keep the remaining concerns in reviewFeedback, prefixed with ${CAP_PREFIX}`;
  if (reviewFeedback.trim() === '' || isMarked({ reviewFeedback })) return null;
  return `it is approved with reviewFeedback ${quoted(reviewFeedback)}, and ${which}. Keep what is left to say, and prefix it with ${CAP_PREFIX}`;
}

function verdictProblems(pair: Pair, isLast: boolean, which: string): string[] {
  const { was, is } = pair;
  const isApproved = is.reviewStatus === 'approved';
  const isSentBack = is.reviewStatus === 'changes_requested';
  return linesOf(
    was.reviewStatus !== 'needs_review' &&
      `only a story with reviewStatus='needs_review' may be reviewed, and it was never submitted (${transition(pair, 'reviewStatus')})`,
    is.reviewCount !== was.reviewCount + 1 &&
      `reviewCount must increment by exactly 1 (was ${was.reviewCount}, now ${is.reviewCount})`,
    isApproved && !is.passes && "set reviewStatus='approved' but passes is still false",
    isApproved && isMarked(is) && !isLast && `reviewFeedback says ${CAP_PREFIX}, but ${which}`,
    isSentBack && is.passes && `set reviewStatus='changes_requested' but ${transition(pair, 'passes')}`,
    isSentBack && is.reviewFeedback.trim() === '' && "set reviewStatus='changes_requested' but reviewFeedback is empty",
    !isApproved &&
      !isSentBack &&
      `reviewStatus changed to ${quoted(is.reviewStatus)} — must be 'approved' or 'changes_requested' after a review (was ${quoted(was.reviewStatus)})`,
  );
}

/** Whether the next review of a story with `reviews` past reviews is the last one that the cap allows. */
export function isLastReview(reviews: number, reviewCap: number): boolean {
  return reviews + 1 >= reviewCap;
}

function isMarked({ reviewFeedback }: Pick<Story, 'reviewFeedback'>): boolean {
  return reviewFeedback.startsWith(CAP_PREFIX);
}

export function isCapApproval(story: Story): boolean {
  return story.reviewStatus === 'approved' && isMarked(story);
}

function problemsOfNew(story: Story): string[] {
  const wrong = REVIEW_FIELDS.filter((field) => story[field] !== FRESH[field]);
  const wanted = (field: Change): string =>
    `must start with ${field}=${quoted(FRESH[field])} (got ${field}=${quoted(story[field])}).`;
  return wrong.map((field) => `New story ${cut(story.id)} ${wanted(field)}`);
}

const WORDS = ['title', 'description', 'acceptanceCriteria'] as const;

/** From its submission on, a story keeps its text: otherwise an agent could remove requirements it does not meet. */
function rewritten(pair: Pair, mode: IterationMode, split: ReadonlySet<string>): string[] {
  const { was, is } = pair;
  const isOpen = was.reviewStatus === null && is.reviewStatus === null;
  const isOwn = mode === 'implement' && was.reviewStatus === null;
  // `movedCriteria` watches the criteria of open stories; the first part of a split story says less than the whole.
  if (was.title === undefined || (isOwn && (isOpen || split.has(is.id)))) return [];
  const why = isOpen
    ? `is not this iteration's: ${mode === 'review' ? 'a review' : 'a review-fix'} may add stories, and rewrites none.`
    : 'is submitted and is judged as it was written.';
  return WORDS.slice(0, isOwn ? 2 : 3)
    .filter((field) => JSON.stringify(was[field]) !== JSON.stringify(is[field]))
    .map((field) => `Story ${cut(is.id)} ${why} Illegal transition: ${transition(pair, field)}.`);
}

/** Only a review's verdict may write feedback, and only the re-submission that answers it may clear it. */
function strayFeedback(pair: Pair, mode: IterationMode): string[] {
  const { was, is, changes } = pair;
  if (was.reviewFeedback === undefined || was.reviewFeedback === is.reviewFeedback) return [];
  if (mode !== 'implement' && changes.includes('reviewStatus')) return [];
  const who = mode === 'review' ? 'Only the story under review' : 'Only a review';
  return [`${who} may get new reviewFeedback. ${illegal(pair, 'reviewFeedback')}`];
}

function illegal(pair: Pair, field: keyof StoryBefore): string {
  return `Story ${cut(pair.is.id)} had illegal transition: ${transition(pair, field)}.`;
}

function transition({ was, is }: Pair, field: keyof StoryBefore): string {
  return changed(field, was[field], is[field]);
}

function idsOf(pairs: readonly Pair[]): string {
  return pairs.map(({ is }) => cut(is.id)).join(', ');
}

/**
 * Acceptance criteria are never lost: each stays on its story, word for word and as often as before, or moves from one
 * of the `open` stories to a story that the same iteration adds. `split`: the stories that gave criteria to a new one.
 */
export function movedCriteria(open: Snapshot, before: Snapshot, after: TasksFile) {
  const added = after.userStories.filter(({ id }) => !before.has(id));
  const arrived = counted(added.flatMap(({ acceptanceCriteria }) => acceptanceCriteria));
  const problems: string[] = [];
  const split = new Set<string>();
  for (const { id, acceptanceCriteria: is } of after.userStories) {
    const was = open.get(id)?.acceptanceCriteria;
    // A marker written by another program may not contain them.
    if (was === undefined) continue;
    const gone = missingFrom(counted(is), was);
    const lost = missingFrom(arrived, gone);
    if (lost.length < gone.length) split.add(id);
    const rule =
      'Criteria may be added, and move to a story that this iteration adds, never be struck out or reworded: restore it word for word.';
    const how = `${rule} Illegal transition: ${changed('acceptanceCriteria', was, is)}.`;
    problems.push(...lost.map((one) => `Story ${cut(id)} lost its acceptance criterion ${quoted(one)}. ${how}`));
  }
  return { problems, split };
}

function counted(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function missingFrom(there: Map<string, number>, wanted: readonly string[]): string[] {
  return wanted.filter((text) => {
    const left = there.get(text) ?? 0;
    there.set(text, left - 1);
    return left <= 0;
  });
}
