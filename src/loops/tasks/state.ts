/** What a task is made of: what it reads, what it knows, and the steps of its own. */
import type { Outcome } from '../../core/outcome.ts';
import type { TreeRecord } from '../../core/record.ts';
import type { Reviews } from '../../core/review/review.ts';
import { isFields } from '../../core/text/json.ts';
import type { Duration } from '../../core/time.ts';
import type { TaskRequest } from './request.ts';
import type { TaskReviewSteps } from './review-rules.ts';

export interface Seen {
  readonly isDone: boolean;
  /** Why the agent is not to be started again, if it or a person said so. */
  readonly wait: string | null;
  /** What the last run asked on its bus; absent in loops of older releases. */
  readonly question?: string | null;
  readonly stopRequested: boolean;
}

/** Loops of older releases did not look for what was said since the last run ended. */
export interface TaskInputs extends Pick<Seen, 'isDone'>, Partial<Omit<Seen, 'isDone' | 'question'>> {
  readonly prompt: string;
  readonly maxRestarts: number;
}

/** What the record of a run's start keeps. */
export interface RunSpan {
  /** Names its folder. */
  readonly runId: string;
  /** How long the bus was when the run began: what stands before is not of this run. */
  readonly busOffset: number;
}

export interface TaskData {
  readonly request: TaskRequest;
  /** Of the run that was started last; null before the first one, and for one that the release before this one started. */
  readonly span: RunSpan | null;
  readonly inputs: TaskInputs | null;
  readonly isUnblocked: boolean;
  /** The iterations whose run came to an end. */
  readonly attempts: number;
  readonly lastRun: LastRun | null;
  /** What it has asked a person since its last run, and the answers that came; null for nothing. */
  readonly asked: { readonly question: string; readonly answers: readonly string[] } | null;
  readonly reviews: Reviews;
}

export interface LastRun {
  readonly outcome: Outcome;
  /** Why it failed, such as `exit 1: unknown option --deep`; null for one that did not. */
  readonly failure: string | null;
  /** What it printed to stdout or, where that is empty, its errors; null where there is neither. */
  readonly log: string | null;
}

type TaskStep<Given, Gave> = { readonly given: Readonly<Given>; readonly gave: Readonly<Gave> };

export type TaskSteps = TaskReviewSteps & {
  /** Waits until the tasks that this one depends on are done. */
  readonly dependencies: TaskStep<{ dependsOn: readonly string[]; pollMs: Duration }, Pick<Seen, 'isDone'>>;
  /** Looks at the task's folder after a run. */
  readonly look: { readonly given: RunSpan | null; readonly gave: Seen };
  /** Tells the task's bus what a person is asked. */
  readonly question: TaskStep<{ question: string }, null>;
  /** Tells it the answers, and takes back what said that the agent waits. */
  readonly answer: TaskStep<{ answers: readonly string[] }, null>;
  /** Waits for the children of a task that is done. `keepsTree`: the work tree is kept then. */
  readonly children: TaskStep<
    { timeoutMs: Duration; pollMs: Duration; keepsTree?: true },
    { left: readonly string[]; tree?: TreeRecord }
  >;
  /** Tells the project's bus that the task is done. */
  readonly propagation: TaskStep<null, { key: string } | { error: string }>;
  /** Tells the task's bus that it may not be started any more. */
  readonly exhausted: TaskStep<{ limit: number }, null>;
};

export function spanOf(kept: unknown): RunSpan | null {
  const { runId, busOffset } = isFields(kept) ? kept : {};
  return typeof runId === 'string' && typeof busOffset === 'number' ? { runId, busOffset } : null;
}

export function limitOf({ request, inputs }: TaskData): number {
  return inputs?.maxRestarts ?? request.maxRestarts;
}
