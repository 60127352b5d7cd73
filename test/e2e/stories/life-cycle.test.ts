/**
 * The life cycle of a story with the real Stop hook, sections 9 and 11 of the seed's verification plan. The test plays
 * the harness (it chooses the mode and writes the marker) and the agent (it edits the list and commits).
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Marker, markerText } from '../../../src/loops/stories/list/active-file.ts';
import { chooseMode, isComplete } from '../../../src/loops/stories/list/mode.ts';
import { type Story, snapshotOf, type TasksFile } from '../../../src/loops/stories/list/tasks.ts';
import { identify, thisMachine } from '../../../src/process/identity/identity.ts';
import { testRepository } from '../../support/git/repository.ts';
import { answered, hookSession } from '../../support/session/plugin-hooks.ts';
import { reviewCounts, story, tasksOf } from '../../support/stories/stories.ts';

interface Options {
  readonly reviewCap?: number;
  readonly skipReview?: boolean;
}

/** A loop over these stories; `iterate` resolves to its mode and to the hook's answers when the agent wants to stop. */
function loop(stories: Story[], { reviewCap = 5, skipReview = false }: Options = {}) {
  const repository = testRepository();
  const place = thisMachine();
  const { startTime = '', boot = '' } = identify(process.pid) ?? {};
  mkdirSync(join(repository.cwd, 'ralph'));
  let tasks: TasksFile = tasksOf(...stories);
  let iteration = 0;
  return {
    now: () => tasks,
    isComplete: () => isComplete(tasks, { skipReview }),
    async iterate(...edits: readonly Partial<Story>[]): Promise<string[]> {
      iteration += 1;
      const session = hookSession(repository.cwd);
      const before = tasks;
      const { mode, story: chosen } = chooseMode(before, { skipReview });
      const marker: Marker = {
        timestamp: new Date().toISOString(),
        pid: process.pid,
        process: { startTime, boot, pidNamespace: place.pidNamespace },
        maxIterations: 15,
        mode: 'direct',
        skipReview,
        reviewCap,
        iteration,
        iterationMode: mode,
        stuckCount: 0,
        story: chosen?.id ?? null,
        ralphDir: 'ralph',
        preIterationSnapshot: snapshotOf(before),
        verifyCommands: before.verifyCommands ?? null,
      };
      repository.write('.ralph-active', markerText(marker));
      const told: string[] = [mode];
      for (const edit of edits) {
        const userStories = before.userStories.map((one) => (one.id === chosen?.id ? { ...one, ...edit } : one));
        tasks = { ...before, userStories };
        repository.write('ralph/tasks.json', JSON.stringify(tasks));
        repository.git('add', 'ralph');
        repository.git('commit', '--allow-empty', '-m', `iteration ${iteration}`);
        const answer = answered(await session.call('stop', { hook_event_name: 'Stop' }));
        told.push(answer === null ? 'may stop' : String(answer.reason));
      }
      return told;
    },
  };
}

const submit = { reviewStatus: 'needs_review', reviewFeedback: '', notes: 'done' } as const;
const approve = (reviewCount: number) => ({ reviewStatus: 'approved', passes: true, reviewCount }) as const;
const sendBack = (reviewCount: number) =>
  ({ reviewStatus: 'changes_requested', reviewCount, reviewFeedback: 'The empty list is not handled' }) as const;

test('implement → review → fix → re-review → approved, with the right counts', async () => {
  const { iterate, now, isComplete: isDone } = loop([story('US-001')]);
  expect(await iterate(submit)).toEqual(['implement', 'may stop']);
  expect(now().userStories[0]).toMatchObject({ reviewStatus: 'needs_review', passes: false, reviewCount: 0 });
  expect(await iterate(sendBack(1))).toEqual(['review', 'may stop']);
  expect(await iterate(submit)).toEqual(['review-fix', 'may stop']);
  expect(now().userStories[0]).toMatchObject({ reviewCount: 1, reviewFeedback: '' });
  expect(isDone()).toBe(false);
  expect(await iterate(approve(2))).toEqual(['review', 'may stop']);
  expect(isDone()).toBe(true);
  expect(reviewCounts(now())).toMatchObject([{ id: 'US-001', reviewCount: 2, isCapApproval: false }]);
});

test('an implementation that sets passes itself is sent back, then submits', async () => {
  const { iterate } = loop([story('US-001')]);
  const [mode, first, second] = await iterate({ ...approve(0), notes: 'done' }, submit);
  expect([mode, second]).toEqual(['implement', 'may stop']);
  expect(first).toContain('Transition validation failed: Implement iterations cannot set passes=true');
});

test('with --review-cap 1, the first review approves, and records its findings', async () => {
  const { iterate, now, isComplete: isDone } = loop([story('US-001')], { reviewCap: 1 });
  await iterate(submit);
  const marked = { ...approve(1), reviewFeedback: '[AUTO-APPROVED AT CAP] The empty list is not handled' };
  const [mode, first, second] = await iterate(sendBack(1), marked);
  expect([mode, second]).toEqual(['review', 'may stop']);
  expect(first).toContain('prefixed with [AUTO-APPROVED AT CAP]');
  expect(isDone()).toBe(true);
  expect(reviewCounts(now())).toMatchObject([{ reviewCount: 1, isCapApproval: true }]);
});

test('with --skip-review, an implementation passes directly', async () => {
  const { iterate, now, isComplete: isDone } = loop([story('US-001')], { skipReview: true });
  expect(await iterate({ passes: true, notes: 'done' })).toEqual(['implement', 'may stop']);
  expect(now().userStories[0]).toMatchObject({ reviewStatus: null, reviewCount: 0 });
  expect(isDone()).toBe(true);
});

test('a story that depends on another waits until that one is approved', async () => {
  const stories = [story('US-002', { priority: 1, dependsOn: ['US-001'] }), story('US-001', { priority: 2 })];
  const { iterate, now, isComplete: isDone } = loop(stories);
  await iterate(submit);
  await iterate(approve(1));
  expect(now().userStories.map(({ id, passes }) => [id, passes])).toEqual([
    ['US-002', false],
    ['US-001', true],
  ]);
  expect(await iterate(submit)).toEqual(['implement', 'may stop']);
  expect(await iterate(approve(1))).toEqual(['review', 'may stop']);
  expect(isDone()).toBe(true);
});
