/** The types of a task: its inputs, the state of its rules, and its own steps. */
import type { Outcome } from '../../core/outcome.ts';
import type { TreeRecord } from '../../core/record.ts';
import type { Reviews } from '../../core/review/review.ts';
import { isFields } from '../../core/text/json.ts';
import type { Duration } from '../../core/time.ts';
import type { TaskRequest } from './request.ts';
import type { TaskReviewSteps } from './review-rules.ts';

export interface Seen {
  readonly isDone: boolean;
  /** Why the agent must not be started again, if it or a person said so. */
  readonly wait: string | null;
  /** What the last run asked on its bus; absent in loops of older releases. */
  readonly question?: string | null;
  readonly stopRequested: boolean;
}

/** Loops of older releases did not look for signals that came after the last run. */
export interface TaskInputs extends Pick<Seen, 'isDone'>, Partial<Omit<Seen, 'isDone' | 'question'>> {
  readonly prompt: string;
  readonly maxRestarts: number;
}

/** What the record of a run's start contains. */
export interface RunSpan {
  /** The name of its folder. */
  readonly runId: string;
  /** How long the bus was when the run began: earlier messages do not belong to this run. */
  readonly busOffset: number;
}

export interface TaskData {
  readonly request: TaskRequest;
  /** Of the run that was started last; null before the first run, and if the previous release started it. */
  readonly span: RunSpan | null;
  readonly inputs: TaskInputs | null;
  readonly isUnblocked: boolean;
  /** How many iterations have ended their run. */
  readonly attempts: number;
  readonly lastRun: LastRun | null;
  /** What it has asked a person since its last run, and the answers so far; null if nothing. */
  readonly asked: { readonly question: string; readonly answers: readonly string[] } | null;
  readonly reviews: Reviews;
}

export interface LastRun {
  readonly outcome: Outcome;
  /** Why it failed, such as `exit 1: unknown option --deep`; null if it did not. */
  readonly failure: string | null;
  /** The file with its stdout or, if that is empty, its stderr; null if both are empty. */
  readonly log: string | null;
}

type TaskStep<Given, Gave> = { readonly given: Readonly<Given>; readonly gave: Readonly<Gave> };

export type TaskSteps = TaskReviewSteps & {
  /** Waits until the tasks that this one depends on are done. */
  readonly dependencies: TaskStep<{ dependsOn: readonly string[]; pollMs: Duration }, Pick<Seen, 'isDone'>>;
  /** Looks at the task's folder after a run. */
  readonly look: { readonly given: RunSpan | null; readonly gave: Seen };
  /** Posts the question for a person on the task's bus. */
  readonly question: TaskStep<{ question: string }, null>;
  /** Posts the answers there, and removes the signal that the agent waits. */
  readonly answer: TaskStep<{ answers: readonly string[] }, null>;
  /** Waits for the children of a task that is done. `keepsTree`: then takes a snapshot of the work tree. */
  readonly children: TaskStep<
    { timeoutMs: Duration; pollMs: Duration; keepsTree?: true },
    { left: readonly string[]; tree?: TreeRecord }
  >;
  /** Posts on the project's bus that the task is done. */
  readonly propagation: TaskStep<null, { key: string } | { error: string }>;
  /** Posts on the task's bus that its attempts are used up. */
  readonly exhausted: TaskStep<{ limit: number }, null>;
};

export function spanOf(kept: unknown): RunSpan | null {
  const { runId, busOffset } = isFields(kept) ? kept : {};
  return typeof runId === 'string' && typeof busOffset === 'number' ? { runId, busOffset } : null;
}

export function limitOf({ request, inputs }: TaskData): number {
  return inputs?.maxRestarts ?? request.maxRestarts;
}
