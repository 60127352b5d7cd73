/** What the next iteration is for, when the list is done, and what it will take: read off tasks.json and nothing else. */

import { plural } from '../../../core/usage.ts';
import type { IterationMode } from './allowed-changes.ts';
import type { Story, TasksFile } from './tasks.ts';

export interface Chosen {
  readonly mode: IterationMode;
  /** Null when every open story waits for another one: then the list itself needs mending. */
  readonly story: Story | null;
}

interface Reviewing {
  readonly skipReview: boolean;
}

/** Review-fix > review > implement; among equals the smaller priority number, then the order of the file. */
export function chooseMode(tasks: TasksFile, { skipReview }: Reviewing): Chosen {
  const stories = [...tasks.userStories].sort((a, b) => a.priority - b.priority);
  if (!skipReview) {
    const sentBack = stories.find(({ reviewStatus }) => reviewStatus === 'changes_requested');
    if (sentBack !== undefined) return { mode: 'review-fix', story: sentBack };
    const submitted = stories.find(({ reviewStatus }) => reviewStatus === 'needs_review');
    if (submitted !== undefined) return { mode: 'review', story: submitted };
  }
  const done = new Set(stories.filter((story) => isDone(story, { skipReview })).map(({ id }) => id));
  const open = stories.filter(({ passes, reviewStatus }) => !passes && (skipReview || reviewStatus === null));
  const ready = open.find(({ dependsOn = [] }) => dependsOn.every((id) => done.has(id)));
  return { mode: 'implement', story: ready ?? null };
}

/** An empty list is not done: it does not say yet what there is to do. */
export function isComplete(tasks: TasksFile, reviewing: Reviewing): boolean {
  return tasks.userStories.length > 0 && tasks.userStories.every((story) => isDone(story, reviewing));
}

/** `5 stories × ~3 iterations each = ~15 iterations needed` */
export function estimateBudget(tasks: TasksFile, { skipReview }: Reviewing): string {
  const stories = tasks.userStories.filter((story) => !isDone(story, { skipReview })).length;
  const each = skipReview ? 1 : 3;
  const open = `${stories} ${stories === 1 ? 'story' : 'stories'}`;
  return `${open} × ~${plural(each, 'iteration')} each = ~${plural(stories * each, 'iteration')} needed`;
}

function isDone({ passes, reviewStatus }: Story, { skipReview }: Reviewing): boolean {
  return passes && (skipReview || reviewStatus === 'approved');
}
