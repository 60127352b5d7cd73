/** The verdict of the judge on an iteration, for two stories that it can have changed. */
import type { JudgeContext } from '../../../src/loops/stories/list/allowed-changes.ts';
import { judgeIteration } from '../../../src/loops/stories/list/judge.ts';
import type { Story } from '../../../src/loops/stories/list/tasks.ts';
import { story, tasksOf } from './stories.ts';

export const CONTEXT: JudgeContext = { mode: 'implement', story: 'US-001', reviewCap: 5, skipReview: false };

export function verdict(before: Story[], after: Story[], context: Partial<JudgeContext> = {}) {
  return judgeIteration(tasksOf(...before), JSON.stringify(tasksOf(...after)), { ...CONTEXT, ...context });
}

export function reason(before: Story[], after: Story[], context: Partial<JudgeContext> = {}): string {
  const judged = verdict(before, after, context);
  return judged.kind === 'illegal' ? judged.reason : judged.kind;
}

export const US = (fields: Partial<Story> = {}) => story('US-001', fields);
export const OTHER = (fields: Partial<Story> = {}) => story('US-002', fields);
