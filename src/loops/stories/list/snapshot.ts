/** What the stories were before an iteration, as far as it is known: an iteration is judged by what it changed. */
import type { Story, TasksFile } from './tasks.ts';
import { cut } from './wording.ts';

/** The seed's three fields are always there; a marker that somebody else wrote may hold no more. */
export type StoryBefore = Pick<Story, 'passes' | 'reviewStatus' | 'reviewCount'> &
  Partial<Pick<Story, 'reviewFeedback' | 'title' | 'description' | 'acceptanceCriteria' | 'dependsOn'>>;

/** By the story's id. Empty is a snapshot too: then every story is new. */
export type Snapshot = ReadonlyMap<string, StoryBefore>;

export function snapshotOf(tasks: TasksFile): Snapshot {
  return new Map(
    tasks.userStories.map((story) => {
      const { passes, reviewStatus, reviewCount, reviewFeedback, title, description, acceptanceCriteria } = story;
      const text = description === undefined ? { title } : { title, description };
      const { dependsOn = [] } = story;
      const review = { passes, reviewStatus, reviewCount, reviewFeedback };
      return [story.id, { ...review, ...text, acceptanceCriteria, dependsOn }];
    }),
  );
}

/** A story that is gone is a story that nobody will do; this holds with reviews and without. */
export function deletedStories(before: Snapshot, after: TasksFile): string[] {
  const here = new Set(after.userStories.map(({ id }) => id));
  return [...before.keys()]
    .filter((id) => !here.has(id))
    .map(
      (id) =>
        `Story ${cut(id)} was deleted. Stories may be added, split and reordered, never removed: put it back under its id (a split story keeps its id for the first part).`,
    );
}
