/** The judge on review and review-fix iterations: the rest of the seed's section 3. */
import { describe, expect, test } from 'vitest';
import { APPROVED, OPEN, SENT_BACK, SUBMITTED, tasksOf } from '../../../../test/support/stories/stories.ts';
import { OTHER, reason, US, verdict } from '../../../../test/support/stories/verdicts.ts';
import type { Story } from './tasks.ts';

describe('review', () => {
  const mode = 'review';
  test('approves', () => {
    expect(
      verdict([US({ ...SUBMITTED, reviewCount: 1 })], [US({ ...APPROVED, reviewCount: 2 })], { mode }),
    ).toMatchObject({ kind: 'legal', changes: { approved: 'US-001', isCapApproval: false } });
  });
  test('sends back', () => {
    expect(verdict([US(SUBMITTED)], [US(SENT_BACK)], { mode })).toMatchObject({
      kind: 'legal',
      changes: { sentBack: 'US-001' },
    });
  });
  test('that changed nothing has no verdict, which is no tampering', () => {
    expect(verdict([US(SUBMITTED)], [US(SUBMITTED)], { mode })).toMatchObject({
      kind: 'no-verdict',
      reason: expect.stringContaining(
        'Review iteration ended without a verdict on story US-001: reviewCount must increment by exactly 1',
      ),
    });
  });
  test.each<[string, Partial<Story>, string]>([
    ['no count', { ...APPROVED, reviewCount: 0 }, 'reviewCount must increment by exactly 1 (was 0, now 0)'],
    ['two counts', { ...APPROVED, reviewCount: 2 }, 'reviewCount must increment by exactly 1 (was 0, now 2)'],
    [
      'no decision',
      { ...SUBMITTED, reviewCount: 1 },
      "reviewStatus changed to 'needs_review' — must be 'approved' or 'changes_requested' after a review",
    ],
    ['withdrawn', { ...OPEN, reviewCount: 1 }, "reviewStatus changed to null — must be 'approved' or"],
    [
      'half approved',
      { reviewStatus: 'approved', reviewCount: 1 },
      "set reviewStatus='approved' but passes is still false",
    ],
    [
      'no feedback',
      { ...SENT_BACK, reviewFeedback: '' },
      "set reviewStatus='changes_requested' but reviewFeedback is empty",
    ],
    [
      'sent back and passing',
      { ...SENT_BACK, passes: true, notes: 'x' },
      "set reviewStatus='changes_requested' but passes false → true",
    ],
    [
      'a cap that is not reached',
      { ...APPROVED, reviewFeedback: '[AUTO-APPROVED AT CAP] whatever' },
      'reviewFeedback says [AUTO-APPROVED AT CAP], but this was review 1 and the review cap is 5',
    ],
  ])('is refused: %s', (_what, fields, details) => {
    expect(reason([US(SUBMITTED)], [US(fields)], { mode })).toContain(
      `Review iteration made illegal transition on story US-001: ${details}`,
    );
  });
  test('judges one story only', () => {
    expect(reason([US(SUBMITTED), OTHER(SUBMITTED)], [US(APPROVED), OTHER(APPROVED)], { mode })).toBe(
      'Transition validation failed: Review iteration made illegal transition: modified review fields on multiple stories (US-001, US-002). Review may only modify one story per iteration. Illegal transitions: ' +
        "US-001 passes false → true, reviewStatus 'needs_review' → 'approved', reviewCount 0 → 1; US-002 passes false → true, reviewStatus 'needs_review' → 'approved', reviewCount 0 → 1.",
    );
  });
  test('cannot approve what was never submitted', () => {
    expect(reason([US(SUBMITTED), OTHER()], [US(SUBMITTED), OTHER(APPROVED)], { mode })).toContain(
      "on story US-002: only a story with reviewStatus='needs_review' may be reviewed, and it was never submitted (reviewStatus null → 'approved')",
    );
  });
  test('cannot change what it judges', () => {
    expect(reason([US(SUBMITTED)], [US({ ...APPROVED, acceptanceCriteria: ['Easier'] })], { mode })).toBe(
      `Transition validation failed: Story US-001 is submitted and is judged as it was written. Illegal transition: acceptanceCriteria ["It works"] → ["Easier"].`,
    );
  });
  test('cannot rewrite a story that is still open', () => {
    for (const [fields, transition] of [
      [{ acceptanceCriteria: ['Easier'] }, 'acceptanceCriteria ["It works"] → ["Easier"]'],
      [{ acceptanceCriteria: ['It works', 'And more'] }, 'acceptanceCriteria ["It works"] → ["It works","And more"]'],
      [{ title: 'Less' }, "title 'Title of US-002' → 'Less'"],
    ] as const)
      expect(reason([US(SUBMITTED), OTHER()], [US(APPROVED), OTHER(fields)], { mode })).toBe(
        `Transition validation failed: Story US-002 is not this iteration's: a review may add stories, and rewrites none. Illegal transition: ${transition}.`,
      );
  });
  test('that left out the notes of what it approved is incomplete, but no tampering', () => {
    const forgotten = US({ ...APPROVED, notes: ' ' });
    expect(verdict([US(SUBMITTED)], [forgotten], { mode })).toEqual({
      kind: 'undocumented',
      reason: "Task list validation failed: Story US-001: has passes=true but empty 'notes' — document what was done",
    });
    expect(reason([US(SUBMITTED)], [{ ...forgotten, reviewCount: 2 }], { mode })).toContain('Task list validation');
    expect(reason([US()], [forgotten], { mode: 'implement' })).toContain('Task list validation');
  });
  test('can add a story for what it found', () => {
    expect(verdict([US(SUBMITTED)], [US(APPROVED), OTHER()], { mode }).kind).toBe('legal');
  });
});

describe('at the review cap', () => {
  const capped = { mode: 'review', reviewCap: 1 } as const;
  test('an approval is marked', () => {
    const marked = { ...APPROVED, reviewFeedback: '[AUTO-APPROVED AT CAP] It is slow' };
    expect(verdict([US(SUBMITTED)], [US(marked)], capped)).toMatchObject({ changes: { isCapApproval: true } });
  });
  test('a review that asks for changes is reported, with the approval that must replace it', () => {
    expect(verdict([US(SUBMITTED)], [US(SENT_BACK)], capped)).toMatchObject({
      kind: 'at-cap',
      story: 'US-001',
      reason: expect.stringContaining('this was review 1 and the review cap is 1'),
      approved: tasksOf(
        US({
          ...APPROVED,
          notes: 'Approved at the review cap; see reviewFeedback.',
          reviewFeedback: '[AUTO-APPROVED AT CAP] Fix it',
        }),
      ),
    });
  });
  test('an approval with feedback but without the mark is reported, and gets it', () => {
    const unmarked = US({ ...APPROVED, reviewFeedback: 'Still slow' });
    const marked = US({ ...APPROVED, reviewFeedback: '[AUTO-APPROVED AT CAP] Still slow' });
    expect(verdict([US(SUBMITTED)], [unmarked], capped)).toMatchObject({
      kind: 'at-cap',
      story: 'US-001',
      wasApproved: true,
      reason: expect.stringContaining('prefix it with [AUTO-APPROVED AT CAP]'),
      approved: tasksOf(marked),
    });
    expect(verdict([US(SUBMITTED)], [unmarked], { ...capped, reviewCap: 2 }).kind).toBe('legal');
    expect(verdict([US(SUBMITTED)], [US({ ...APPROVED, reviewFeedback: ' ' })], capped).kind).toBe('legal');
  });
  test('ralph’s own count decides', () => {
    const context = { mode: 'review', reviewCap: 3 } as const;
    expect(verdict([US(SUBMITTED)], [US(SENT_BACK)], context).kind).toBe('legal');
    const reviews = new Map([['US-001', 2]]);
    expect(verdict([US(SUBMITTED)], [US(SENT_BACK)], { ...context, reviews }).kind).toBe('at-cap');
  });
  test('of a story, only its own count decides', () => {
    const context = { mode: 'review', reviewCap: 3, reviews: new Map([['US-001', 2]]) } as const;
    const both = [US({ ...SUBMITTED, reviewCount: 2 }), OTHER(SUBMITTED)];
    const other = [US({ ...SUBMITTED, reviewCount: 2 }), OTHER(SENT_BACK)];
    expect(verdict(both, other, context)).toMatchObject({
      kind: 'legal',
      changes: { sentBack: 'US-002', countBefore: 0 },
    });
    const marked = OTHER({ ...APPROVED, reviewFeedback: '[AUTO-APPROVED AT CAP] x' });
    expect(reason(both, [US({ ...SUBMITTED, reviewCount: 2 }), marked], context)).toContain(
      'this was review 1 and the review cap is 3',
    );
  });
  test('that was lowered meanwhile lets a story be reviewed once more, for the last time', () => {
    const context = { mode: 'review', reviewCap: 1 } as const;
    const was = US({ ...SUBMITTED, reviewCount: 3 });
    expect(verdict([was], [US({ ...APPROVED, reviewCount: 4 })], context).kind).toBe('legal');
    expect(verdict([was], [US({ ...SENT_BACK, reviewCount: 4 })], context).kind).toBe('at-cap');
    expect(reason([was], [US({ ...APPROVED, reviewCount: 5 })], context)).toContain('Possible corruption');
  });
});

describe('review-fix', () => {
  const mode = 'review-fix';
  const again = { ...SUBMITTED, reviewCount: 1 };
  test('re-submits', () => {
    expect(verdict([US(SENT_BACK)], [US(again)], { mode })).toMatchObject({ changes: { submitted: 'US-001' } });
  });
  test.each<[string, Partial<Story>, string]>([
    ['passes', { ...SENT_BACK, passes: true, notes: 'x' }, 'passes false → true'],
    ['approval', APPROVED, "reviewStatus 'changes_requested' → 'approved'"],
    ['count', { ...again, reviewCount: 2 }, 'reviewCount 1 → 2'],
    ['withdrawal', { ...OPEN, reviewCount: 1 }, "reviewStatus 'changes_requested' → null"],
  ])('cannot change: %s', (_what, fields, transition) => {
    expect(reason([US(SENT_BACK)], [US(fields)], { mode })).toContain(
      `Review-fix iterations cannot approve stories. Story US-001 must go back to needs_review for re-review. Illegal transition: ${transition}.`,
    );
  });
  test('cannot submit another story', () => {
    expect(reason([US(SENT_BACK), OTHER()], [US(again), OTHER(SUBMITTED)], { mode })).toContain(
      "may only re-submit a story that a review sent back (reviewStatus='changes_requested'). Story US-002 had illegal transition: reviewStatus null → 'needs_review'.",
    );
  });
  test('re-submits one story only', () => {
    expect(reason([US(SENT_BACK), OTHER(SENT_BACK)], [US(again), OTHER(again)], { mode })).toContain(
      'Review-fix iterations may re-submit at most one story. Found 2 stories',
    );
  });
  test('clears the feedback that it answered, and only then', () => {
    expect(reason([US(SENT_BACK)], [US({ ...again, reviewFeedback: 'Fix it' })], { mode })).toContain(
      "Review-fix iterations must clear reviewFeedback when they re-submit. Story US-001 had illegal transition: reviewFeedback 'Fix it' → 'Fix it'.",
    );
    expect(reason([US(SENT_BACK)], [US({ ...SENT_BACK, reviewFeedback: 'Less' })], { mode })).toContain(
      "Only a review may get new reviewFeedback. Story US-001 had illegal transition: reviewFeedback 'Fix it' → 'Less'.",
    );
  });
  test('cannot rewrite a story that is still open', () => {
    const fields = { acceptanceCriteria: ['Easier'] };
    expect(reason([US(SENT_BACK), OTHER()], [US(again), OTHER(fields)], { mode })).toBe(
      `Transition validation failed: Story US-002 is not this iteration's: a review-fix may add stories, and rewrites none. Illegal transition: acceptanceCriteria ["It works"] → ["Easier"].`,
    );
  });
  test('cannot strike out what it was asked for', () => {
    expect(reason([US(SENT_BACK)], [US({ ...again, acceptanceCriteria: ['Easier'] })], { mode })).toContain(
      'acceptanceCriteria ["It works"] → ["Easier"]',
    );
  });
});
