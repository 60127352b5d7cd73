/**
 * Decides what the next iteration works on and when the list is done, estimates how many iterations it needs, and reads
 * an agent's promise.
 */
import { plural } from '../../../core/budget/usage.ts';
import type { IterationMode, JudgeContext } from './allowed-changes.ts';
import type { Story, TasksFile } from './tasks.ts';

type Reviewing = Pick<JudgeContext, 'skipReview'>;

/** Review-fix > review > implement, then priority, then order. `story` is null if every open one waits for another. */
export function chooseMode(
  tasks: TasksFile,
  { skipReview, setAside = [] }: Reviewing & { readonly setAside?: readonly string[] },
): { readonly mode: IterationMode; readonly story: Story | null } {
  const inOrder = [...tasks.userStories].sort((a, b) => a.priority - b.priority);
  const stories = inOrder.filter(({ id }) => !setAside.includes(id));
  const sentBack = stories.find(({ reviewStatus }) => reviewStatus === 'changes_requested');
  if (sentBack !== undefined && !skipReview) return { mode: 'review-fix', story: sentBack };
  const submitted = stories.find(({ reviewStatus }) => reviewStatus === 'needs_review');
  if (submitted !== undefined && !skipReview) return { mode: 'review', story: submitted };
  const done = new Set(inOrder.filter((story) => isDone(story, { skipReview })).map(({ id }) => id));
  const open = stories.filter(({ passes, reviewStatus }) => !passes && (skipReview || reviewStatus === null));
  const ready = open.find(({ dependsOn = [] }) => dependsOn.every((id) => done.has(id)));
  return { mode: 'implement', story: ready ?? null };
}

/** An empty list is not complete: it does not yet say what to do. */
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

/** The content of a `<promise>` tag: all is done, the agent cannot continue, or a person has to decide. */
export type Promised =
  | { readonly kind: 'complete' }
  | { readonly kind: 'blocked' | 'decision'; readonly reason: string };

/** Null for anything else, and for a block or a question without any text. */
export function promisedIn(tag: string | null): Promised | null {
  const text = tag?.trim() ?? '';
  if (text === 'COMPLETE') return { kind: 'complete' };
  const [, word, said = ''] = /^(BLOCKED|DECIDE):(.*)$/s.exec(text) ?? [];
  const reason = said.trim();
  return reason === '' ? null : { kind: word === 'DECIDE' ? 'decision' : 'blocked', reason };
}
