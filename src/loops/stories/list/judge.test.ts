/** The tests of the seed's verification plan, section 3, and loopholes of the original implementation. */
import { describe, expect, test } from 'vitest';
import { APPROVED, SENT_BACK, SUBMITTED, story, tasksOf } from '../../../../test/support/stories/stories.ts';
import { CONTEXT, OTHER, reason, US, verdict } from '../../../../test/support/stories/verdicts.ts';
import type { IterationMode, JudgeContext } from './allowed-changes.ts';
import { judgeAgainst, judgeIteration } from './judge.ts';
import type { Story } from './tasks.ts';

describe('review integrity', () => {
  const end = (fields: Partial<Story>, context: Partial<JudgeContext> = {}) => {
    const judged = judgeAgainst(null, JSON.stringify(tasksOf(US(fields))), { ...CONTEXT, ...context });
    return judged.kind === 'illegal' ? judged.reason : judged.kind;
  };
  test.each([[null], ['needs_review'], ['changes_requested']] as const)('passes without approval (%s)', (status) => {
    expect(end({ passes: true, notes: 'x', reviewStatus: status, reviewFeedback: 'x' })).toBe(
      `Review integrity check failed: Story US-001 has passes=true but reviewStatus is '${status}', not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`,
    );
  });
  test('passes with approval', () => expect(end(APPROVED)).toBe('legal'));
  test('changes requested without feedback', () => {
    expect(end({ ...SENT_BACK, reviewFeedback: ' ' })).toBe(
      "Review integrity check failed: Story US-001 has reviewStatus='changes_requested' but empty reviewFeedback. Review must explain what needs fixing.",
    );
  });
  test('approved without passes', () => {
    expect(end({ reviewStatus: 'approved' })).toBe(
      "Review integrity check failed: Story US-001 has reviewStatus='approved' but passes=false. These fields must be in sync.",
    );
  });
  test('a negative count', () => {
    expect(end({ reviewCount: -1 })).toBe(
      "Task list validation failed: Story US-001: 'reviewCount' must be non-negative (got -1)",
    );
  });
  test('more reviews than the cap allows', () => {
    expect(end({ ...APPROVED, reviewCount: 6 })).toBe('legal');
    expect(end({ ...APPROVED, reviewCount: 7 })).toBe(
      'Review integrity check failed: Story US-001 has reviewCount=7 which exceeds reviewCap+1 (6). Possible corruption.',
    );
  });
  test('counts of a run with a higher cap are valid', () => {
    const old = OTHER({ ...APPROVED, reviewCount: 5 });
    expect(reason([US(), old], [US(SUBMITTED), old], { reviewCap: 1 })).toBe('legal');
  });
  test('without reviews, none of this is required', () => {
    expect(end({ passes: true, notes: 'x' }, { skipReview: true })).toBe('legal');
  });
});

describe('implement', () => {
  test.each<[string, Partial<Story>, string]>([
    ['passes', { passes: true, notes: 'x' }, 'passes false → true'],
    ['approval', { reviewStatus: 'approved' }, "reviewStatus null → 'approved'"],
    ['count', { reviewCount: 1 }, 'reviewCount 0 → 1'],
    ['verdict', SENT_BACK, "reviewStatus null → 'changes_requested'"],
  ])('cannot change: %s', (_what, fields, transition) => {
    expect(reason([US()], [US(fields)])).toContain(
      `Transition validation failed: Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story US-001 had illegal transition: ${transition}.`,
    );
  });
  test('cannot approve itself, even if the result is consistent', () => {
    expect(reason([US()], [US(APPROVED)])).toMatch(/^Transition validation failed: .*passes false → true/);
  });
  test('submits one story', () => {
    expect(verdict([US()], [US(SUBMITTED)])).toMatchObject({
      kind: 'legal',
      changes: { submitted: 'US-001', approved: null },
    });
    expect(reason([US(), OTHER()], [US(SUBMITTED), OTHER(SUBMITTED)])).toBe(
      "Transition validation failed: Implement iterations may submit at most one story for review. Found 2 stories transitioning reviewStatus null → 'needs_review' (US-001, US-002).",
    );
  });
  test.each<[string, Partial<Story>, string]>([
    ['title', { title: 'Less' }, "title 'Title of US-001' → 'Less'"],
    ['description', { description: 'Less' }, "description '' → 'Less'"],
  ])('cannot cut the %s of the story that it submits', (_what, fields, transition) => {
    expect(reason([US()], [US({ ...SUBMITTED, ...fields })])).toBe(
      `Transition validation failed: Story US-001 is submitted and is judged as it was written. Illegal transition: ${transition}.`,
    );
    expect(reason([US()], [US(fields)])).toBe('legal');
  });
  test.each<[Partial<Story>, string]>([
    [{ passes: true, notes: 'x' }, 'New story US-002 must start with passes=false (got passes=true).'],
    [SUBMITTED, "New story US-002 must start with reviewStatus=null (got reviewStatus='needs_review')."],
    [{ reviewCount: 3 }, 'New story US-002 must start with reviewCount=0 (got reviewCount=3).'],
  ])('a new story starts from nothing', (fields, text) => {
    for (const [mode, was, is] of [
      ['implement', US(), US(SUBMITTED)],
      ['review', US(SUBMITTED), US(APPROVED)],
      ['review-fix', US(SENT_BACK), US({ ...SUBMITTED, reviewCount: 1 })],
    ] as const)
      expect(reason([was], [is, OTHER(fields)], { mode })).toContain(text);
  });
  test('an empty snapshot makes every story new', () => {
    const judged = judgeAgainst(new Map(), JSON.stringify(tasksOf(US(APPROVED))), CONTEXT);
    expect(judged).toMatchObject({ kind: 'illegal', reason: expect.stringContaining('New story US-001 must start') });
  });
  test('can take back a `passes` that was not approved, as check 2 asks for', () => {
    expect(reason([US({ passes: true })], [US()])).toBe('legal');
    expect(reason([US(APPROVED)], [US()])).toContain('passes true → false');
  });
  test('can submit nothing: a blocker is written down for the next iteration', () => {
    expect(verdict([US()], [US({ notes: 'stuck' })])).toMatchObject({ kind: 'legal', changes: { submitted: null } });
  });
});

test.each<IterationMode>(['implement', 'review', 'review-fix'])(
  'no story can be deleted, in %s or without reviews',
  (mode) => {
    for (const skipReview of [true, false])
      expect(reason([US(SUBMITTED), OTHER()], [US(SUBMITTED)], { mode, skipReview })).toMatch(
        /^Task list validation failed: Story US-002 was deleted\./,
      );
  },
);

test.each<IterationMode>(['implement', 'review', 'review-fix'])(
  'the commands that a reviewer runs are frozen, in %s or without reviews',
  (mode) => {
    const before = { ...tasksOf(US(SUBMITTED)), verifyCommands: ['npm test'] };
    for (const skipReview of [true, false])
      for (const [after, now] of [
        [{ ...before, verifyCommands: [] }, '[]'],
        [{ ...before, verifyCommands: undefined }, 'nothing'],
      ] as const)
        expect(judgeIteration(before, JSON.stringify(after), { ...CONTEXT, mode, skipReview })).toEqual({
          kind: 'illegal',
          reason: `Task list validation failed: verifyCommands may not be changed by an iteration: verifyCommands ["npm test"] → ${now}. Restore it as it was.`,
        });
  },
);

test('of a hundred problems, not all are reported', () => {
  const before = Array.from({ length: 100 }, (_, index) => story(`S${index}`));
  const told = reason(
    before,
    before.map((one) => ({ ...one, reviewCount: 1 })),
  );
  expect(told.split('\n')).toHaveLength(11);
  expect(told).toContain('(and 90 more)');
});
