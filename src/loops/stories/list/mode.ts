/** What the next iteration is for, when the list is done, and what it will take: read off tasks.json and nothing else. */

import type { IterationMode } from './allowed-changes.ts';
import { isCapApproval } from './judge.ts';
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

/** An empty list is not done: nobody has said yet what there is to do. */
export function isComplete(tasks: TasksFile, reviewing: Reviewing): boolean {
  return tasks.userStories.length > 0 && tasks.userStories.every((story) => isDone(story, reviewing));
}

const ITERATIONS_PER_STORY = { withReview: 3, without: 1 };

export interface Budget {
  readonly stories: number;
  readonly iterations: number;
  /** `5 stories × ~3 iterations each = ~15 iterations needed` */
  readonly text: string;
}

export function estimateBudget(tasks: TasksFile, { skipReview }: Reviewing): Budget {
  const stories = tasks.userStories.filter((story) => !isDone(story, { skipReview })).length;
  const each = skipReview ? ITERATIONS_PER_STORY.without : ITERATIONS_PER_STORY.withReview;
  const iterations = stories * each;
  const text = `${counted(stories, 'story', 'stories')} × ~${counted(each, 'iteration', 'iterations')} each = ~${counted(iterations, 'iteration', 'iterations')} needed`;
  return { stories, iterations, text };
}

export interface ReviewCount {
  readonly id: string;
  readonly title: string;
  readonly reviewCount: number;
  readonly isCapApproval: boolean;
}

/** For the look back: mostly ones means that reviews cost little, cap approvals want a human's eye. */
export function reviewCounts({ userStories }: TasksFile): ReviewCount[] {
  return userStories.map((story) => ({
    id: story.id,
    title: story.title,
    reviewCount: story.reviewCount,
    isCapApproval: isCapApproval(story),
  }));
}

function isDone({ passes, reviewStatus }: Story, { skipReview }: Reviewing): boolean {
  return passes && (skipReview || reviewStatus === 'approved');
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}
