/** Task lists for the tests of the stories. */
import { isCapApproval } from '../../../src/loops/stories/list/allowed-changes.ts';
import type { Story, TasksFile } from '../../../src/loops/stories/list/tasks.ts';

export function story(id: string, fields: Partial<Story> = {}): Story {
  return {
    id,
    title: `Title of ${id}`,
    description: '',
    acceptanceCriteria: ['It works'],
    priority: 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: fields.passes === true ? 'done' : '',
    dependsOn: [],
    ...fields,
  };
}

export function tasksOf(...userStories: Story[]): TasksFile {
  return { project: 'p', branchName: 'ralph/p', description: '', verifyCommands: [], userStories };
}

/** How many reviews each story has had, and whether the cap forced the last one. */
export function reviewCounts({ userStories }: TasksFile) {
  return userStories.map((one) => {
    const { id, title, reviewCount } = one;
    return { id, title, reviewCount, isCapApproval: isCapApproval(one) };
  });
}

export const OPEN = {} as const;
export const SUBMITTED = { reviewStatus: 'needs_review' } as const;
export const SENT_BACK = { reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: 'Fix it' } as const;
export const APPROVED = { reviewStatus: 'approved', passes: true, reviewCount: 1 } as const;
