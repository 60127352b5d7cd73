/**
 * Random edits of a task list against the life cycle of a story in the seed: open → submitted → approved or sent back →
 * submitted … The model below is that life cycle and nothing else; the rules must agree with it on every edit.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IterationMode } from '../../src/loops/stories/list/allowed-changes.ts';
import { judgeIteration, type Verdict } from '../../src/loops/stories/list/judge.ts';
import { chooseMode, isComplete } from '../../src/loops/stories/list/mode.ts';
import type { Story, TasksFile } from '../../src/loops/stories/list/tasks.ts';
import { story, tasksOf } from '../support/stories/stories.ts';

const CAP = 3;
const MODES: readonly IterationMode[] = ['implement', 'review', 'review-fix'];
const REVIEWED = { skipReview: false };

const status = fc.constantFrom('needs_review', 'changes_requested', 'approved', null);
const words = fc.constantFrom('', ' ', 'Fix it', '[AUTO-APPROVED AT CAP] slow');

/** Legal states of a story between two iterations. */
const lawful = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc.integer({ min: 0, max: CAP - 1 }).map((reviewCount) => ({ reviewStatus: 'needs_review' as const, reviewCount })),
  fc.integer({ min: 1, max: CAP - 1 }).map((reviewCount) => ({
    reviewStatus: 'changes_requested' as const,
    reviewCount,
    reviewFeedback: 'Fix it',
  })),
  fc
    .integer({ min: 1, max: CAP })
    .map((reviewCount) => ({ reviewStatus: 'approved' as const, reviewCount, passes: true })),
);

/** Anything that an agent could write into the fields that matter; often the old value, or one more review. */
const anything = fc.record({
  passes: fc.option(fc.boolean(), { freq: 2 }),
  reviewStatus: fc.option(
    status.map((value) => ({ value })),
    { freq: 2 },
  ),
  reviewsMore: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.constant(1) },
    fc.integer({ min: -3, max: 4 }),
  ),
  reviewFeedback: fc.option(words, { freq: 2 }),
  title: fc.constantFrom(null, null, null, null, 'Another title'),
  isDeleted: fc.integer({ min: 0, max: 30 }).map((roll) => roll === 0),
});
type Edit = typeof anything extends fc.Arbitrary<infer Made> ? Made : never;

/** Steps of the life cycle, legal for some stories and illegal for others. */
const KEEP = { passes: false, reviewsMore: 0, reviewFeedback: null, title: null, isDeleted: false };
const steps = fc.constantFrom<Edit>(
  { ...KEEP, reviewStatus: { value: 'needs_review' } },
  { ...KEEP, reviewStatus: { value: 'needs_review' }, reviewFeedback: '' },
  { ...KEEP, reviewStatus: { value: 'approved' }, passes: true, reviewsMore: 1 },
  { ...KEEP, reviewStatus: { value: 'changes_requested' }, reviewsMore: 1, reviewFeedback: 'Fix it' },
);
const edit = fc.oneof(anything, steps);

/** How an agent could change the criteria of a story. */
const rewriting = fc.record({
  what: fc.oneof(
    fc.constantFrom('cut', 'reword', 'add', 'reorder', 'give to a neighbour'),
    fc.constant('give to the new one'),
  ),
  at: fc.nat(2),
});
const seldomRewriting = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, rewriting);
type Rewriting = typeof rewriting extends fc.Arbitrary<infer Made> ? Made : never;
const criteria = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });

/** Null half of the time. */
const often = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 });
const arrival = fc.option(fc.tuple(fc.boolean(), status, fc.integer({ min: 0, max: 1 })).map(mostlyNew), { freq: 2 });

test('an edit is legal exactly if the life cycle of a story allows it', () => {
  const tally = new Map<string, number>();
  fc.assert(
    fc.property(
      fc.constantFrom(...MODES),
      fc.array(fc.tuple(lawful, often(edit), criteria, seldomRewriting), {
        minLength: 1,
        maxLength: 3,
      }),
      arrival,
      (mode, stories, newcomer) => {
        const before = stories.map(([fields, , acceptanceCriteria], index) =>
          story(`S${index}`, { ...fields, acceptanceCriteria }),
        );
        const edited = before.flatMap((one, index) => editedBy(one, stories[index]?.[1] ?? null));
        const after = rewritten(
          [...edited, ...(newcomer === null ? [] : [arrived(...newcomer)])],
          stories.map(([, , , made]) => made),
        );
        const wanted = isInPicture(mode, before, after);
        const verdict = judge(mode, before, after);
        const steps = before.map((was) =>
          stepOf(
            was,
            after.find(({ id }) => id === was.id),
          ),
        );
        const split = wanted && before.some((was) => gaveAway(was, after)) ? ['split'] : [];
        for (const step of wanted ? [...steps, ...split] : ['refused']) tally.set(step, (tally.get(step) ?? 0) + 1);
        expect(acceptedOf(verdict) !== null, `${mode}: ${JSON.stringify(verdict)}`).toBe(wanted);
      },
    ),
    { numRuns: 20_000 },
  );
  // Every step, and the refusal of others, must really have occurred.
  const wanted = ['same', 'submitted', 'approved', 'sent back', 'submitted again', 'split', 'refused'];
  expect(wanted.filter((step) => (tally.get(step) ?? 0) < 20)).toEqual([]);
});

test('whatever agents try, no story passes without its own review, and no criterion is lost', () => {
  const attempts = fc.array(
    fc.record({
      edits: fc.array(often(edit), { minLength: 3, maxLength: 3 }),
      rewritings: fc.array(seldomRewriting, { minLength: 3, maxLength: 3 }),
      isSplit: fc.boolean(),
    }),
    { maxLength: 60 },
  );
  const honesty = fc.infiniteStream(fc.boolean());
  fc.assert(
    fc.property(attempts, honesty, (tries, dice) => {
      const { stories, reviews, wrongs } = walk(tries, () => dice.next().value);
      expect(wrongs).toEqual([]);
      for (const one of stories) {
        expect(one.reviewCount).toBe(reviews.get(one.id) ?? 0);
        expect(one.reviewCount).toBeLessThanOrEqual(CAP);
        expect(one.passes).toBe(one.reviewStatus === 'approved');
      }
    }),
    { numRuns: 500 },
  );
});

interface Attempt {
  readonly edits: readonly (Edit | null)[];
  readonly rewritings: readonly (Rewriting | null)[];
  readonly isSplit: boolean;
}

interface Walk {
  stories: readonly Story[];
  /** The number of reviews by story id, counted from outside. */
  readonly reviews: Map<string, number>;
  readonly wrongs: string[];
}

/** Plays iterations like the harness: refused edits are reverted. */
function walk(attempts: readonly Attempt[], isHonest: () => boolean): Walk {
  const first = ['S0', 'S1', 'S2'].map((id) => story(id, { acceptanceCriteria: ['a', 'b', 'a'] }));
  const walked: Walk = { stories: first, reviews: new Map(), wrongs: [] };
  for (const { edits, rewritings, isSplit } of attempts) {
    const now = walked.stories;
    const { mode, story: chosen } = chooseMode(tasksOf(...now), REVIEWED);
    if (chosen === null || isComplete(tasksOf(...now), REVIEWED)) break;
    const honest = isHonest();
    const edited = now.flatMap((one, i) => editedBy(one, edits[i] ?? null));
    const added = isSplit ? [story(`N${now.length}`, { acceptanceCriteria: ['n'] })] : [];
    const after = honest ? honestly(mode, chosen.id, now) : rewritten([...edited, ...added], rewritings);
    const verdict = judge(mode, now, after);
    const tasks = acceptedOf(verdict);
    if (honest && tasks === null) walked.wrongs.push(`${mode} was refused: ${JSON.stringify(verdict)}`);
    for (const one of tasks?.userStories ?? []) {
      const was = now.find(({ id }) => id === one.id);
      if (was !== undefined && one.reviewCount !== was.reviewCount)
        walked.reviews.set(one.id, (walked.reviews.get(one.id) ?? 0) + 1);
      const isApproval = one.passes && was?.passes !== true;
      if (isApproval && (mode !== 'review' || was?.reviewStatus !== 'needs_review'))
        walked.wrongs.push(`${one.id} passed in ${mode}`);
    }
    walked.stories = tasks?.userStories ?? now;
    if (takenFrom(criteriaOf(walked.stories), criteriaOf(now)).length > 0)
      walked.wrongs.push(`${mode} asks for less: ${JSON.stringify(walked.stories)}`);
  }
  return walked;
}

function judge(mode: IterationMode, before: readonly Story[], after: readonly Story[]): Verdict {
  const context = { mode, story: 'S0', reviewCap: CAP, skipReview: false };
  return judgeIteration(tasksOf(...before), JSON.stringify(tasksOf(...after)), context);
}

/** At the cap, the harness approves the story itself. */
function acceptedOf(verdict: Verdict): TasksFile | null {
  if (verdict.kind === 'at-cap') return verdict.approved;
  return verdict.kind === 'legal' ? verdict.tasks : null;
}

type Step = 'same' | 'submitted' | 'approved' | 'sent back' | 'submitted again' | 'wrong';

function isInPicture(mode: IterationMode, before: readonly Story[], after: readonly Story[]): boolean {
  const steps = before.map((was) =>
    stepOf(
      was,
      after.find(({ id }) => id === was.id),
    ),
  );
  const news = after.filter(({ id }) => !before.some((was) => was.id === id));
  if (news.some(({ passes, reviewStatus, reviewCount }) => passes || reviewStatus !== null || reviewCount !== 0))
    return false;
  // A submitted story keeps its title, unless it was split, as its first part contains less.
  const reworded = before.some((was, index) => {
    const is = after.find(({ id }) => id === was.id);
    return steps[index] === 'submitted' && is?.title !== was.title && !gaveAway(was, after);
  });
  if (reworded) return false;
  // Only implement iterations may rewrite stories, and only those that are not submitted.
  const isFrozen = ({ reviewStatus }: Story) => mode !== 'implement' || reviewStatus !== null;
  const words = (one: Story | undefined) => JSON.stringify([one?.title, one?.acceptanceCriteria]);
  if (before.some((was) => isFrozen(was) && words(was) !== words(after.find(({ id }) => id === was.id)))) return false;
  // Criteria that were removed from a story must be in a new one.
  const left = before.flatMap((was) => goneFrom(was, after));
  if (takenFrom(criteriaOf(news), left).length > 0) return false;
  const taken = steps.filter((step) => step !== 'same');
  if (mode === 'review') return taken.length === 1 && (taken[0] === 'approved' || taken[0] === 'sent back');
  const allowed = mode === 'implement' ? 'submitted' : 'submitted again';
  return taken.length <= 1 && taken.every((step) => step === allowed);
}

function stepOf(was: Story, is: Story | undefined): Step {
  if (is === undefined) return 'wrong';
  const before = [was.reviewStatus, was.passes, was.reviewCount, was.reviewFeedback, was.title];
  const now = (...fields: unknown[]) =>
    JSON.stringify(fields) === JSON.stringify([is.reviewStatus, is.passes, is.reviewCount]);
  const sameWords = is.reviewFeedback === was.reviewFeedback;
  const sameTitle = is.title === was.title;
  if (now(...before.slice(0, 3)) && sameWords && (sameTitle || was.reviewStatus === null)) return 'same';
  if (was.reviewStatus === null)
    return now('needs_review', false, was.reviewCount) && sameWords ? 'submitted' : 'wrong';
  if (!sameTitle) return 'wrong';
  const reviews = was.reviewCount + 1;
  if (was.reviewStatus === 'needs_review') {
    const saysCap = is.reviewFeedback.startsWith('[AUTO-APPROVED AT CAP]');
    if (now('approved', true, reviews)) return !saysCap || reviews >= CAP ? 'approved' : 'wrong';
    return now('changes_requested', false, reviews) && is.reviewFeedback.trim() !== '' ? 'sent back' : 'wrong';
  }
  const isAnswer = was.reviewStatus === 'changes_requested' && now('needs_review', false, was.reviewCount);
  return isAnswer && is.reviewFeedback.trim() === '' ? 'submitted again' : 'wrong';
}

function editedBy(one: Story, made: Edit | null): Story[] {
  if (made === null) return [one];
  if (made.isDeleted) return [];
  return [
    {
      ...one,
      notes: 'done',
      passes: made.passes ?? one.passes,
      reviewStatus: made.reviewStatus === null ? one.reviewStatus : made.reviewStatus.value,
      reviewCount: Math.max(0, one.reviewCount + made.reviewsMore),
      reviewFeedback: made.reviewFeedback ?? one.reviewFeedback,
      title: made.title ?? one.title,
    },
  ];
}

/** All criteria of these stories, with repetitions. */
function criteriaOf(stories: readonly Story[]): string[] {
  return stories.flatMap(({ acceptanceCriteria }) => acceptanceCriteria);
}

/** The wanted criteria that are missing, with repetitions. */
function takenFrom(there: readonly string[], wanted: readonly string[]): string[] {
  const left = [...there];
  return wanted.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function goneFrom(was: Story, after: readonly Story[]): string[] {
  return takenFrom(criteriaOf(after.filter(({ id }) => id === was.id)), was.acceptanceCriteria);
}

function gaveAway(was: Story, after: readonly Story[]): boolean {
  return goneFrom(was, after).length > 0;
}

/** If there is a new story, it is the last one. */
function rewritten(stories: readonly Story[], rewritings: readonly (Rewriting | null)[]): Story[] {
  const lists = stories.map(({ acceptanceCriteria }) => [...acceptanceCriteria]);
  rewritings.forEach((made, index) => {
    const list = lists[index];
    if (made === null || list === undefined) return;
    const at = made.at % list.length;
    const target = made.what === 'give to the new one' ? lists.at(-1) : lists[(index + 1) % lists.length];
    switch (made.what) {
      case 'add':
        list.push('d');
        break;
      case 'reorder':
        list.reverse();
        break;
      case 'reword':
        list[at] = `${list[at] ?? ''}, mostly`;
        break;
      default: {
        const taken = list.splice(at, 1);
        // Every story must have a criterion.
        if (list.length === 0) list.push('half of it');
        if (made.what !== 'cut') target?.push(...taken);
      }
    }
  });
  return stories.map((one, index) => ({ ...one, acceptanceCriteria: lists[index] ?? [] }));
}

/** Most are valid as new stories. */
function mostlyNew(given: [boolean, Story['reviewStatus'], number]): [boolean, Story['reviewStatus'], number] {
  return given[0] ? [false, null, 0] : given;
}

function arrived(passes: boolean, reviewStatus: Story['reviewStatus'], reviewCount: number): Story {
  return story('new', { passes, reviewStatus, reviewCount, notes: 'x', acceptanceCriteria: ['n'] });
}

/** What an honest agent writes: reviews request changes until the cap. */
function honestly(mode: IterationMode, id: string, now: readonly Story[]): Story[] {
  return now.map((one): Story => {
    if (one.id !== id) return one;
    if (mode !== 'review') return { ...one, reviewStatus: 'needs_review', reviewFeedback: '' };
    const reviewCount = one.reviewCount + 1;
    if (reviewCount < CAP) return { ...one, reviewStatus: 'changes_requested', reviewCount, reviewFeedback: 'Fix it' };
    return { ...one, reviewStatus: 'approved', passes: true, notes: 'done', reviewCount };
  });
}
