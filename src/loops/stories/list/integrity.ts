/** Check 2 of an iteration: whatever happened, `passes` and the review fields of every story agree. */
import type { Snapshot } from './snapshot.ts';
import type { Story, TasksFile } from './tasks.ts';
import { cut, quoted } from './wording.ts';

export function integrityProblems(after: TasksFile, reviewCap: number, before: Snapshot | null): string[] {
  return after.userStories.flatMap((story) => [
    ...outOfSync(story),
    ...tooManyReviews(story, reviewCap, before?.get(story.id)?.reviewCount ?? 0),
  ]);
}

function outOfSync({ id, passes, reviewStatus, reviewFeedback }: Story): string[] {
  const story = `Story ${cut(id)}`;
  const problems: string[] = [];
  if (passes && reviewStatus !== 'approved')
    problems.push(
      `${story} has passes=true but reviewStatus is ${quoted(reviewStatus ?? 'null')}, not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`,
    );
  if (!passes && reviewStatus === 'approved')
    problems.push(`${story} has reviewStatus='approved' but passes=false. These fields must be in sync.`);
  if (reviewStatus === 'changes_requested' && reviewFeedback.trim() === '')
    problems.push(
      `${story} has reviewStatus='changes_requested' but empty reviewFeedback. Review must explain what needs fixing.`,
    );
  return problems;
}

/** A count that was there before the iteration is no corruption, nor is the review after it: the cap may have been lowered. */
function tooManyReviews({ id, reviewCount }: Story, reviewCap: number, countBefore: number): string[] {
  if (reviewCount <= reviewCap + 1 || reviewCount <= countBefore + 1) return [];
  return [
    `Story ${cut(id)} has reviewCount=${reviewCount} which exceeds reviewCap+1 (${reviewCap + 1}). Possible corruption.`,
  ];
}
