/** The tests of the seed's verification plan, section 3, and the holes of its original. */
import { describe, expect, test } from 'vitest';
import { APPROVED, OPEN, SENT_BACK, SUBMITTED, story, tasksOf } from '../../../../test/support/stories/stories.ts';
import type { IterationMode, JudgeContext } from './allowed-changes.ts';
import { judgeAgainst, judgeIteration } from './judge.ts';
import type { Story } from './tasks.ts';

const CONTEXT: JudgeContext = { mode: 'implement', story: 'US-001', reviewCap: 5, skipReview: false };

function verdict(before: Story[], after: Story[], context: Partial<JudgeContext> = {}) {
  return judgeIteration(tasksOf(...before), JSON.stringify(tasksOf(...after)), { ...CONTEXT, ...context });
}

function reason(before: Story[], after: Story[], context: Partial<JudgeContext> = {}): string {
  const judged = verdict(before, after, context);
  return judged.kind === 'illegal' ? judged.reason : judged.kind;
}

const US = (fields: Partial<Story> = {}) => story('US-001', fields);
const OTHER = (fields: Partial<Story> = {}) => story('US-002', fields);

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
  test('counts of a run with a higher cap are no corruption', () => {
    const old = OTHER({ ...APPROVED, reviewCount: 5 });
    expect(reason([US(), old], [US(SUBMITTED), old], { reviewCap: 1 })).toBe('legal');
  });
  test('without reviews nothing of this is asked', () => {
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
  test('approves itself whole: the end is in order, the way is not', () => {
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
  test('may take back a `passes` that nobody approved, as check 2 asks for', () => {
    expect(reason([US({ passes: true })], [US()])).toBe('legal');
    expect(reason([US(APPROVED)], [US()])).toContain('passes true → false');
  });
  test('nothing submitted is legal: a blocker is written down for the next iteration', () => {
    expect(verdict([US()], [US({ notes: 'stuck' })])).toMatchObject({ kind: 'legal', changes: { submitted: null } });
  });
});

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
  test('that changed nothing has no verdict, and that is not tampering', () => {
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
  test('that forgot the notes of what it approved has forgotten, not tampered', () => {
    const forgotten = US({ ...APPROVED, notes: ' ' });
    expect(verdict([US(SUBMITTED)], [forgotten], { mode })).toEqual({
      kind: 'undocumented',
      reason: "Task list validation failed: Story US-001: has passes=true but empty 'notes' — document what was done",
    });
    expect(reason([US(SUBMITTED)], [{ ...forgotten, reviewCount: 2 }], { mode })).toContain('Task list validation');
    expect(reason([US()], [forgotten], { mode: 'implement' })).toContain('Task list validation');
  });
  test('may add a story for what it found', () => {
    expect(verdict([US(SUBMITTED)], [US(APPROVED), OTHER()], { mode }).kind).toBe('legal');
  });
});

describe('at the review cap', () => {
  const capped = { mode: 'review', reviewCap: 1 } as const;
  test('an approval is marked', () => {
    const marked = { ...APPROVED, reviewFeedback: '[AUTO-APPROVED AT CAP] It is slow' };
    expect(verdict([US(SUBMITTED)], [US(marked)], capped)).toMatchObject({ changes: { isCapApproval: true } });
  });
  test('a review that asks for changes is told, and what must become of it is known', () => {
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
  test('an approval with feedback but without the mark is told, and gets it', () => {
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
  test('the harness’s own count decides', () => {
    const context = { mode: 'review', reviewCap: 3 } as const;
    expect(verdict([US(SUBMITTED)], [US(SENT_BACK)], context).kind).toBe('legal');
    const reviews = new Map([['US-001', 2]]);
    expect(verdict([US(SUBMITTED)], [US(SENT_BACK)], { ...context, reviews }).kind).toBe('at-cap');
  });
  test('of a story is its own: another one’s count decides nothing', () => {
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

test.each<IterationMode>(['implement', 'review', 'review-fix'])(
  'no story may be deleted, in %s or without reviews',
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
          reason: `Task list validation failed: verifyCommands may not be changed by an iteration: verifyCommands ["npm test"] → ${now}. Put it back as it was.`,
        });
  },
);

test('a hundred problems are not all told', () => {
  const before = Array.from({ length: 100 }, (_, index) => story(`S${index}`));
  const told = reason(
    before,
    before.map((one) => ({ ...one, reviewCount: 1 })),
  );
  expect(told.split('\n')).toHaveLength(11);
  expect(told).toContain('(and 90 more)');
});
