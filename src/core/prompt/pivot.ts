/** The prompt of a pivot, which asks why the work fails and for another plan; and that plan in later prompts. Pure. */
import type { Pivot, Progress } from '../progress/progress.ts';
import { notesSection } from './iteration-notes.ts';
import { type Feedback, promptWithFeedback, shownInPrompt } from './prompt.ts';

const ASKED = `Do not change any file in this run, and run nothing that does: only look. Find out why this fails, and write down
1. why the attempts so far did not work;
2. a different plan, step by step.

Put both between <response> and </response>, in at most 4,000 characters. The agents that follow start without your memory: of all
that you find, they get only this answer.`;

export function pivotPrompt(task: string, progress: Progress, feedback: readonly Feedback[]): string {
  const failures = feedback.map((failure) => promptWithFeedback('', [{ ...failure, failAction: 'REPLACE' }]));
  return [
    `An agent is working on the task below in a loop, and is making no progress: ${progress.pivot?.reason ?? ''}.`,
    ASKED,
    `## The task\n${task.trim()}`,
    ...notesSection(progress.notes),
    ...(failures.length === 0 ? [] : ['## What failed in the last iteration', ...failures]),
  ].join('\n\n');
}

/** What a prompt says about the work so far: the last iterations, if asked for, and the plan from a pivot. */
export function progressSections({ notes, pivot }: Progress, carriesNotes: boolean): string[] {
  return [...(carriesNotes ? notesSection(notes) : []), ...planSection(pivot)];
}

/** Empty if there is none. */
function planSection(pivot: Pivot | null): string[] {
  if (pivot?.plan == null) return [];
  const why = `The work made no progress: ${pivot.reason}. An agent that only read the code found this, and advises:`;
  return [`## A different plan\n${why}\n\n${shownInPrompt(pivot.plan)}`];
}
