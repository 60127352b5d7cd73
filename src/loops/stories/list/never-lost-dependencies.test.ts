import { describe, expect, test } from 'vitest';
import { APPROVED, SUBMITTED, story, tasksOf } from '../../../../test/support/stories/stories.ts';
import { judgeIteration } from './judge.ts';
import type { Story } from './tasks.ts';

const on = (id: string, ...dependsOn: string[]) => story(id, { dependsOn });

function judged(before: Story[], after: Story[]): string {
  const context = { mode: 'implement', story: 'A', reviewCap: 5 } as const;
  const verdicts = [false, true].map((skipReview) =>
    judgeIteration(tasksOf(...before), JSON.stringify(tasksOf(...after)), { ...context, skipReview }),
  );
  const [told, again] = verdicts.map((verdict) => (verdict.kind === 'illegal' ? verdict.reason : verdict.kind));
  expect(again).toBe(told);
  return told ?? '';
}

describe('an iteration cannot create a story that can never be done', () => {
  test.each<[string, Story[], Story[], string]>([
    [
      'a new one that waits for none',
      [on('A')],
      [on('A'), on('B', 'Z')],
      "Story B can never be done: its dependsOn names 'Z'",
    ],
    [
      'a new one that waits for itself',
      [on('A')],
      [on('A'), on('B', 'B')],
      "Story B can never be done: its dependsOn names 'B'",
    ],
    ['two new ones that wait for each other', [on('A')], [on('A'), on('B', 'C'), on('C', 'B')], 'Story C can never'],
    [
      'an old one behind a new one',
      [on('A')],
      [on('A', 'B'), on('B', 'A')],
      "Story A can never be done: its dependsOn names 'B'",
    ],
    [
      'an old one',
      [on('A'), on('B')],
      [on('A'), on('B', 'A', 'Z')],
      "Story B can never be done: its dependsOn names 'Z'",
    ],
    [
      'a new one behind such a one',
      [on('A', 'Z')],
      [on('A', 'Z'), on('B', 'A')],
      "Story B can never be done: its dependsOn names 'A'",
    ],
  ])('%s', (_title, before, after, reason) => {
    expect(judged(before, after)).toContain(`Task list validation failed: `);
    expect(judged(before, after)).toContain(reason);
  });

  test.each<[string, Story[], Story[]]>([
    ['one that waits for others', [on('A')], [on('A'), on('B', 'A'), on('C', 'A', 'B')]],
    ['one that could not be done before', [on('A'), on('B', 'Z')], [on('A'), on('B', 'Z', 'Y')]],
    [
      'one that is begun',
      [on('A', 'B'), on('B')],
      [on('A', 'B'), on('B')].map((one) => ({ ...one, ...(one.id === 'B' ? SUBMITTED : {}) })),
    ],
    [
      'one that is done',
      [story('A', { ...APPROVED, dependsOn: ['Z'] })],
      [story('A', { ...APPROVED, dependsOn: ['Z'] }), on('B', 'A')],
    ],
  ])('but %s is not one', (_title, before, after) => {
    expect(judged(before, after)).toBe('legal');
  });
});

test('a chain of ten thousand stories is no burden', () => {
  const chain = Array.from({ length: 10_000 }, (_, index) =>
    on(`S${index}`, ...(index === 0 ? ['S9999'] : [`S${index - 1}`])),
  );
  expect(judged([on('A')], [on('A'), ...chain])).toContain('(and 9990 more)');
});
