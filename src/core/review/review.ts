/**
 * Before a loop ends as done, another agent reviews the claim that all else has accepted. Says what a verdict means,
 * and when to skip a review: a work tree that was judged is not judged again. Pure.
 */
import type { AgentChoice } from '../action.ts';
import type { Ending } from '../ending.ts';
import { describeFailure } from '../outcome.ts';
import type { Ran, TreeRecord } from '../record.ts';
import type { Go, StartedRun } from '../rules.ts';
import { digestOf } from '../text/digest.ts';

/** The purpose of a review's run. */
export const REVIEW = 'review';

/** `name`: the one that people use, such as `codex` or `claude:sonnet`. */
type Reviewer = Pick<AgentChoice, 'command' | 'flags'> & Readonly<{ name: string }>;

/** `rounds`: this many rejected claims end the loop. */
export type ReviewTerms = Readonly<{ by: Reviewer; rounds: number }>;

export const DEFAULT_ROUNDS = 3;

/** The step that a loop kind with reviews must have: the diff of the work between two snapshots of the work tree. */
export type ReviewSteps = {
  readonly diff: { readonly given: DiffGiven; readonly gave: ReviewDiff };
};

/** Commits of the loop's own snapshots; null if there is none. */
export interface DiffGiven {
  readonly from: string | null;
  readonly to: string | null;
}

/** `patch`: cut to its beginning if it is too long; then `stat` names every file. `unknown`: why there is no diff. */
export type ReviewDiff = { readonly patch: string; readonly stat: string | null } | { readonly unknown: string };

export interface Reviews {
  /** The snapshot with which the work began, null if there is none; absent before the work begins. */
  readonly base?: string | null;
  /** The newest snapshot of the work. */
  readonly work: { readonly commit: string; readonly tree: string | null } | null;
  /** The work was approved, and no agent has worked since. */
  readonly isAccepted: boolean;
  /** What is to be judged, or null. */
  readonly claim: Claim | null;
  readonly rejected: number;
  /** How many reviews in a row gave no verdict. */
  readonly unanswered: number;
  /** The findings of the last rejection; null without one, and after an approval. */
  readonly findings: string | null;
  readonly last: Verdict | null;
  /** One for every work tree that this reviewer has judged: none is reviewed twice. */
  readonly verdicts: readonly Verdict[];
}

interface Claim {
  readonly diff: ReviewDiff;
  /** Part of the answer's tag. Nothing that the work has written can know it. */
  readonly code: string;
  /** The work tree with which the review began; null if unknown. */
  readonly before: string | null;
}

export type Verdict = Judged & {
  readonly by: string;
  /** Counts the claims that were judged, from 1. */
  readonly round: number;
  /** The work tree that was judged; null if unknown. */
  readonly tree: string | null;
  /** The work was not reviewed again, because nothing has changed since. */
  readonly isRepeated?: true;
};

/** `words`: the findings, or why there is no verdict. */
export type Judged = {
  readonly is: 'approved' | 'rejected' | 'none';
  readonly words: string;
  /** The reviewer changed files although it was asked not to: its verdict does not count. */
  readonly hasChanged?: true;
};

/** What a later loop on the same task starts from. */
export type ReviewMemory = Pick<Reviews, 'verdicts' | 'findings'>;

export const NO_REVIEWS: Reviews = {
  work: null,
  isAccepted: false,
  claim: null,
  rejected: 0,
  unanswered: 0,
  findings: null,
  last: null,
  verdicts: [],
};

/** What comes next; `verdict`: `Reviews.last` has just been set. */
export interface Reviewed {
  readonly reviews: Reviews;
  readonly go: Go<'diff'> | { readonly to: 'verdict' };
}

const TO_DIFF = { to: 'step', what: 'diff' } as const;
const TO_VERDICT = { to: 'verdict' } as const;

/** After this many reviews in a row without a verdict, a person has to look at the reviewer. */
const MOST_UNANSWERED = 2;
const LONGEST_FINDINGS = 8000;

/** Not the loop's own agent, and one that only reads. */
export const reviewAgent = ({ by: { command, flags } }: ReviewTerms) =>
  ({ command, flags, isOther: true, onlyReads: true }) as const;

export function withStart(reviews: Reviews, { purpose, tree }: StartedRun): Reviews {
  const { base, claim } = reviews;
  if (purpose === REVIEW) return claim === null ? reviews : { ...reviews, claim: { ...claim, before: treeOf(tree) } };
  // Only for the first run: later ones began with what it left.
  return purpose === 'work' && base === undefined ? { ...reviews, base: tree?.commit ?? null } : reviews;
}

export function withWork(reviews: Reviews, tree: TreeRecord | undefined): Reviews {
  const work = tree?.commit == null ? null : { commit: tree.commit, tree: treeOf(tree) };
  return { ...reviews, work, isAccepted: false };
}

/** A person has intervened: counts in a row start over. */
export const begunAgain = (reviews: Reviews): Reviews => ({ ...reviews, rejected: 0, unanswered: 0 });

/** Another agent reviews from now on: it may judge what the previous reviewer has judged already. */
export function forReviewer(reviews: Reviews): Reviews {
  return reviews.verdicts.length === 0 ? reviews : { ...reviews, verdicts: [] };
}

/** `spent`: a budget is used up, so no agent may be started. */
export function claimed(reviews: Reviews, spent: Ending | null): Reviewed {
  const { verdicts, work, isAccepted } = reviews;
  if (isAccepted) return { reviews, go: TO_VERDICT };
  const known = verdicts.find(({ tree }) => tree === work?.tree);
  if (known !== undefined) {
    return { reviews: withVerdict(reviews, known, known.by, { isRepeated: true }), go: TO_VERDICT };
  }
  // The claim is kept open: a loop that is continued then knows that only the review is left to do.
  const open = { ...reviews, claim: reviews.claim ?? { diff: NO_DIFF, code: '', before: null } };
  return { reviews: open, go: spent === null ? TO_DIFF : { to: 'end', ending: spent } };
}

const NO_DIFF: ReviewDiff = { unknown: 'it was not made yet' };

export const diffGiven = ({ base = null, work }: Reviews): DiffGiven => ({ from: base, to: work?.commit ?? null });

/** `moment`: something that no agent could know while it worked, such as the time of this record. */
export function afterDiff(reviews: Reviews, diff: ReviewDiff, moment: string): Reviewed {
  const claim = { diff, code: digestOf(moment).slice(-8), before: null };
  return { reviews: { ...reviews, claim }, go: { to: 'run', purpose: REVIEW } };
}

/** The tag of the reviewer's answer that contains the verdict. */
export const verdictTag = ({ claim }: Reviews): string => `review-${claim?.code ?? ''}`;

/** `spent`: see `claimed`. */
export function afterReview(reviews: Reviews, { by }: ReviewTerms, ran: Ran, spent: Ending | null): Reviewed {
  const { outcome } = ran;
  // Not the reviewer's fault: the claim stays open, and is reviewed once the limit has passed.
  if (outcome.kind === 'limit' && outcome.resetAt !== null) return { reviews, go: { to: 'again' } };
  if (outcome.kind !== 'worked' && outcome.kind !== 'failed') return { reviews, go: { to: 'default', ran } };
  if (outcome.kind === 'failed' && spent !== null) return { reviews, go: { to: 'end', ending: spent } };
  return { reviews: withVerdict(reviews, judged(ran, reviews.claim?.before ?? null), by.name), go: TO_VERDICT };
}

/** The verdict of a reviewer's run. `before`: the work tree at its start, if known. */
export function judged(ran: Ran, before: string | null): Judged {
  const after = treeOf(ran.tree ?? null);
  if (before !== null && after !== null && before !== after) {
    return { is: 'none', words: 'it changed files, although it was asked not to', hasChanged: true };
  }
  if (ran.outcome.kind !== 'worked') return { is: 'none', words: describeFailure(ran) };
  const said = (ran.said.tag ?? '').trim();
  if (/^APPROVED\.?$/i.test(said)) return { is: 'approved', words: '' };
  const [, findings] = /^REJECTED\b[\s:.-]*(.*)$/is.exec(said) ?? [];
  if (findings !== undefined) return { is: 'rejected', words: [...findings].slice(0, LONGEST_FINDINGS).join('') };
  return { is: 'none', words: 'its answer contains none' };
}

function withVerdict(
  reviews: Reviews,
  { is, words, hasChanged }: Judged,
  by: string,
  more: Pick<Verdict, 'isRepeated'> = {},
): Reviews {
  const { rejected, work, unanswered, findings } = reviews;
  const changed = hasChanged === true ? { hasChanged } : {};
  const last = { is, words, ...changed, by, round: rejected + 1, tree: work?.tree ?? null, ...more };
  // If the reviewer changed files, the checks no longer cover them: the claim is dropped.
  if (is === 'none')
    return { ...reviews, last, unanswered: unanswered + 1, claim: hasChanged === true ? null : reviews.claim };
  const isRejected = is === 'rejected';
  const { verdicts } = reviews;
  const isNew = last.tree !== null && verdicts.every(({ tree }) => tree !== last.tree);
  return {
    ...reviews,
    verdicts: isNew ? [...verdicts, last] : verdicts,
    isAccepted: !isRejected,
    claim: null,
    last,
    unanswered: 0,
    rejected: rejected + (isRejected ? 1 : 0),
    findings: isRejected ? words || findings || NO_FINDINGS : null,
  };
}

const NO_FINDINGS = 'It named no findings.';

/** What follows from `Reviews.last`; null if the claim is accepted. */
export function afterVerdict({ last, unanswered, rejected }: Reviews, { rounds }: ReviewTerms): Go | null {
  if (last === null) throw new Error('there is no verdict');
  const { is, by, words, hasChanged } = last;
  switch (is) {
    case 'approved':
      return null;
    case 'rejected': {
      if (rejected < rounds) return { to: 'next-iteration' };
      const times = rounds === 1 ? 'the work' : `the work ${rounds} times`;
      const reason = `The review by ${by} rejected ${times} (--review-rounds ${rounds}): ${inShort(words || NO_FINDINGS)}`;
      return { to: 'end', ending: { kind: 'stuck', reason, isBetween: true } };
    }
    case 'none': {
      if (isUnanswered({ unanswered })) {
        const reason = `The reviewer, ${by}, gave no verdict ${unanswered} times in a row; the last time: ${inShort(words)}`;
        return { to: 'end', ending: { kind: 'blocked', reason } };
      }
      return hasChanged === true ? { to: 'next-iteration' } : { to: 'run', purpose: REVIEW };
    }
  }
}

export const isUnanswered = ({ unanswered }: Pick<Reviews, 'unanswered'>): boolean => unanswered >= MOST_UNANSWERED;

const LONGEST_IN_SHORT = 600;

/** Short enough to be part of a sentence. */
export function inShort(words: string): string {
  const characters = [...words.replaceAll(/\s+/g, ' ').trim()];
  return characters.length <= LONGEST_IN_SHORT
    ? characters.join('')
    : `${characters.slice(0, LONGEST_IN_SHORT - 1).join('')}…`;
}

function treeOf(record: TreeRecord | null): string | null {
  return record === null || record.commit === null ? null : (record.tree ?? null);
}
