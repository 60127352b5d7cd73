import { expect, test } from 'vitest';
import {
  APPROVED,
  OPEN,
  reviewCounts,
  SENT_BACK,
  SUBMITTED,
  story,
  tasksOf,
} from '../../../../test/support/stories/stories.ts';
import { chooseMode, estimateBudget, isComplete, promisedIn } from './mode.ts';
import type { Story } from './tasks.ts';

const WITH_REVIEW = { skipReview: false };
const WITHOUT = { skipReview: true };
const chosen = (stories: Story[], reviewing = WITH_REVIEW) => {
  const { mode, story: one } = chooseMode(tasksOf(...stories), reviewing);
  return [mode, one?.id ?? null];
};

test('stories that were sent back come before those that wait for review, and both before new ones', () => {
  const stories = [story('new', OPEN), story('waits', SUBMITTED), story('back', SENT_BACK)];
  expect(chosen(stories)).toEqual(['review-fix', 'back']);
  expect(chosen(stories.slice(0, 2))).toEqual(['review', 'waits']);
  expect(chosen(stories.slice(0, 1))).toEqual(['implement', 'new']);
});

test('without reviews, there is only the mode implement', () => {
  const stories = [story('back', { ...SENT_BACK, priority: 2 }), story('new', { ...OPEN, priority: 3 })];
  expect(chosen(stories, WITHOUT)).toEqual(['implement', 'back']);
});

test('priority 1 comes first; among equals the order of the file', () => {
  expect(chosen([story('a', { priority: 2 }), story('b'), story('c')])).toEqual(['implement', 'b']);
});

test('a story waits for what it depends on, until that is approved', () => {
  const later = story('later', { priority: 1, dependsOn: ['first'] });
  expect(chosen([later, story('first', { priority: 9 })])).toEqual(['implement', 'first']);
  expect(chosen([later, story('first', { ...APPROVED, priority: 9 })])).toEqual(['implement', 'later']);
  const passed = { passes: true, priority: 9 };
  expect(chosen([later, story('first', passed)], WITHOUT)).toEqual(['implement', 'later']);
});

test.each([
  ['each other', [story('a', { dependsOn: ['b'] }), story('b', { dependsOn: ['a'] })]],
  ['what is not there', [story('a', { dependsOn: ['gone'] })]],
])('no story is chosen if all wait for %s', (_what, stories) => {
  expect(chosen(stories)).toEqual(['implement', null]);
});

test('the list is complete when all passed and were approved; without reviews, passing is enough', () => {
  const passed = story('a', { passes: true });
  expect(isComplete(tasksOf(story('a', APPROVED)), WITH_REVIEW)).toBe(true);
  expect(isComplete(tasksOf(passed), WITH_REVIEW)).toBe(false);
  expect(isComplete(tasksOf(passed), WITHOUT)).toBe(true);
  expect(isComplete(tasksOf(story('a', APPROVED), story('b')), WITH_REVIEW)).toBe(false);
  expect(isComplete(tasksOf(), WITH_REVIEW)).toBe(false);
});

test('the budget counts open stories', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((id) => story(id));
  expect(estimateBudget(tasksOf(...five), WITH_REVIEW)).toBe('5 stories × ~3 iterations each = ~15 iterations needed');
  expect(estimateBudget(tasksOf(story('a'), story('b', APPROVED)), WITHOUT)).toBe(
    '1 story × ~1 iteration each = ~1 iteration needed',
  );
});

test('the review counts show which approvals the cap forced', () => {
  const capped = { ...APPROVED, reviewCount: 5, reviewFeedback: '[AUTO-APPROVED AT CAP] slow' };
  expect(reviewCounts(tasksOf(story('a', APPROVED), story('b', capped)))).toEqual([
    { id: 'a', title: 'Title of a', reviewCount: 1, isCapApproval: false },
    { id: 'b', title: 'Title of b', reviewCount: 5, isCapApproval: true },
  ]);
});

test.each([
  ['COMPLETE', { kind: 'complete' }],
  [' COMPLETE\n', { kind: 'complete' }],
  ['BLOCKED:no key', { kind: 'blocked', reason: 'no key' }],
  ['BLOCKED: two\nlines ', { kind: 'blocked', reason: 'two\nlines' }],
  ['DECIDE:Redis or files?', { kind: 'decision', reason: 'Redis or files?' }],
])('%j is a promise', (tag, promised) => {
  expect(promisedIn(tag)).toEqual(promised);
});

test.each([[null], [''], ['complete'], ['COMPLETE!'], ['BLOCKED'], ['BLOCKED:'], ['DECIDE:  \n'], ['NOT BLOCKED:x']])(
  '%j is no promise',
  (tag) => {
    expect(promisedIn(tag)).toBeNull();
  },
);
