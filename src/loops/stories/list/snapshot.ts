/** What the stories were before an iteration, as far as it is known: an iteration is judged by what it changed. */
import type { Story, TasksFile } from './tasks.ts';

/** The seed's three fields are always there; a marker that another program wrote may hold no more. */
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
