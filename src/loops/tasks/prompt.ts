/** The prompt of a task's run: the task, a person's answers, and notes about the last runs if requested. Pure. */
import { PIVOT } from '../../core/progress/progress.ts';
import { pivotPrompt, progressSections } from '../../core/prompt/pivot.ts';
import { REVIEW } from '../../core/review/review.ts';
import { findingsSection, reviewPrompt } from '../../core/review/review-prompt.ts';
import type { LoopState } from '../../core/state.ts';
import type { TaskRequest } from './request.ts';
import type { TaskData } from './state.ts';

/** How a restart prompt begins. */
export const CONTINUE = 'Continue working on the following:\n\n';

export function taskPrompt(state: LoopState<TaskData>, purpose: string): string {
  const { iteration, data, progress, terms } = state;
  const task = `${data.inputs?.prompt ?? ''}${answersText(data.request)}`;
  if (purpose === REVIEW) return reviewPrompt({ task, checks: [], reviews: data.reviews });
  if (purpose === PIVOT) return pivotPrompt(task, progress, []);
  const isAgain = iteration > 1 || data.attempts > 0 || data.request.isResumed;
  const sections = [...progressSections(progress, terms.carryNotes === true), ...findingsSection(data.reviews)];
  return [`${isAgain ? CONTINUE : ''}${task}`, ...sections].join('\n\n');
}

function answersText({ answers = [] }: TaskRequest): string {
  if (answers.length === 0) return '';
  const asked = (question: string | null): string => (question === null ? '' : `You waited: ${question}\n`);
  const said = answers.map(({ question, answer }) => `${asked(question)}Answer: ${answer}`);
  return `\n\n## Answers\nYou waited for a person, and this is the answer:\n\n${said.join('\n\n')}`;
}
