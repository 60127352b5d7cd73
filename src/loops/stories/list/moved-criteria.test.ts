/** Acceptance criteria before and after an implementation: they may be added and moved, but never lost. */
import { describe, expect, test } from 'vitest';
import { SUBMITTED, story, tasksOf } from '../../../../test/support/stories/stories.ts';
import { judgeIteration } from './judge.ts';
import type { Story } from './tasks.ts';

type Criteria = readonly string[];
/** Judges a list with story A, whose criteria change from `was` to `is`, and with the added stories `more`. */
function judged(
  was: Criteria,
  is: Criteria,
  more: Story[] = [],
  given: { fields?: Partial<Story>; others?: Story[] } = {},
) {
  const { fields = {}, others = [] } = given;
  return [false, true].map((skipReview) => {
    const after = tasksOf(story('A', { acceptanceCriteria: is, ...fields }), ...(more.length > 0 ? more : others));
    const before = tasksOf(story('A', { acceptanceCriteria: was }), ...others);
    const context = { mode: 'implement', story: 'A', reviewCap: 5, skipReview } as const;
    const verdict = judgeIteration(before, JSON.stringify(after), context);
    return verdict.kind === 'illegal' ? verdict.reason : verdict.kind;
  });
}
const B = (...acceptanceCriteria: string[]) => story('B', { acceptanceCriteria });
const LEGAL = ['legal', 'legal'];

describe('with reviews and without, an open story', () => {
  test.each<[string, Criteria, Criteria, Story[]]>([
    ['keeps its criteria', ['a', 'b'], ['a', 'b'], []],
    ['may get more', ['a'], ['a', 'b'], []],
    ['may have them in another order', ['a', 'b'], ['b', 'a'], []],
    ['may give one to a new story', ['a', 'b'], ['a'], [B('b')]],
    ['may give its only one to a new story, and gets another', ['a'], ['half of a'], [B('a')]],
    ['may give to several', ['a', 'b', 'c'], ['a'], [B('c'), story('C', { acceptanceCriteria: ['x', 'b'] })]],
    ['may give one of two that are the same', ['a', 'a'], ['a'], [B('a')]],
  ])('%s', (_title, was, is, more) => {
    expect(judged(was, is, more)).toEqual(LEGAL);
    // Also in the iteration that submits it: moved criteria must still be met by the new story.
    expect(judged(was, is, more, { fields: SUBMITTED })).toEqual(LEGAL);
  });

  test.each<[string, Criteria, Criteria, Story[], string]>([
    ['may not lose one', ['a', 'b'], ['a'], [], 'b'],
    ['may not lose one beside a story that has nothing to do with it', ['a', 'b'], ['a'], [B('x')], 'b'],
    ['may not have one reworded', ['works always'], ['works'], [], 'works always'],
    ['may not have one reworded on its way', ['a', 'b'], ['a'], [B('B')], 'b'],
    ['may not lose one of two that are the same', ['a', 'a'], ['a'], [], 'a'],
    ['may not give two that are the same as one', ['a', 'a', 'b'], ['b'], [B('a')], 'a'],
  ])('%s', (_title, was, is, more, lost) => {
    for (const fields of [{}, SUBMITTED]) {
      const [reviewed, unreviewed] = judged(was, is, more, { fields });
      const told = `Story A lost its acceptance criterion '${lost}'. Criteria may be added, and move to a story that this iteration adds, never be struck out or reworded: restore it word for word. Illegal transition: acceptanceCriteria ${JSON.stringify(was)} → ${JSON.stringify(is)}.`;
      expect(reviewed).toBe(`Transition validation failed: ${told}`);
      expect(unreviewed).toBe(`Task list validation failed: ${told}`);
    }
  });

  test('cannot give one to a story that was there before', () => {
    const others = [B('x')];
    for (const verdict of judged(['a', 'b'], ['a'], [B('x', 'b')], { others }))
      expect(verdict).toContain("Story A lost its acceptance criterion 'b'");
  });

  test('and its neighbour cannot both give the same to one new story', () => {
    const others = [B('x', 'b')];
    const after = [B('x'), story('C', { acceptanceCriteria: ['b'] })];
    for (const verdict of judged(['a', 'b'], ['a'], after, { others })) {
      expect(verdict).toContain("Story B lost its acceptance criterion 'b'");
      expect(verdict).not.toContain('Story A');
    }
  });
});

test('only a story that gave criteria away can be retitled by the iteration that submits it', () => {
  const fields = { ...SUBMITTED, title: 'First part', description: 'Less' };
  expect(judged(['a', 'b'], ['a'], [B('b')], { fields })).toEqual(LEGAL);
  expect(judged(['a', 'b'], ['a', 'b'], [B('x')], { fields })[0]).toContain(
    "Story A is submitted and is judged as it was written. Illegal transition: title 'Title of A' → 'First part'.",
  );
});
