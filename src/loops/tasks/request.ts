/** What a task, or a job, is asked to do. */
import type { ReviewMemory, ReviewTerms } from '../../core/review/review.ts';
import type { OnBlocked } from '../../core/rules.ts';
import type { Duration } from '../../core/time.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';

export interface TaskRequest {
  /** A `job` is one run; a `task` is started again until it is done. */
  readonly kind: 'task' | 'job';
  readonly folder: string;
  readonly project: string;
  readonly task: string;
  readonly bus: string;
  readonly agent: string;
  readonly flags: readonly string[];
  /** Null: the content of TASK.md, read again for every run. */
  readonly prompt: string | null;
  readonly cwd: string;
  /** It continues the work of earlier runs, so even the first prompt is a restart prompt. */
  readonly isResumed: boolean;
  /** A person's answers in all resumes so far. `question`: null if the agent did not wait, or did not say for what. */
  readonly answers?: readonly { readonly question: string | null; readonly answer: string }[];
  readonly parentRunId: string | null;
  readonly previousRunId: string | null;
  /** A run folder that was created before the loop. */
  readonly runId: string | null;
  readonly maxRestarts: number;
  readonly restartDelayMs: Duration;
  /** How long to wait for children once the task is done. */
  readonly waitTimeoutMs: Duration;
  readonly pollIntervalMs: Duration;
  /** Ends a run that prints nothing for this long. */
  readonly idleTimeoutMs: Duration | null;
  readonly totalTimeoutMs: Duration | null;
  readonly dependsOn: readonly string[];
  readonly dependencyPollMs: Duration;
  readonly graceMs: Duration;
  /** What to do if the agent waits for a person; absent: end the loop, as in seed 002. */
  readonly onBlocked?: OnBlocked;
  /** Resolved before the loop begins; loops of older releases have none. */
  readonly sandbox?: SandboxRequest;
  /** Why there is no sandbox, if the strongest available one was wanted. */
  readonly noSandbox?: string;
  /** The folder of the loop whose sandboxed agent asked for this job: the job runs in the same sandbox. */
  readonly parentLoop?: string;
  /** The id of the loop whose agent asked for this job, in a sandbox or not. */
  readonly parent?: string;
  /** Who reviews the work once DONE exists, and after how many rejections the loop ends; absent if no agent does. */
  readonly review?: ReviewTerms;
  /** What its reviewer said in earlier loops; absent if nothing. */
  readonly reviewed?: ReviewMemory;
}

/** The defaults of a task. */
export const NEW_TASK = {
  kind: 'task',
  flags: [],
  isResumed: false,
  parentRunId: null,
  previousRunId: null,
  runId: null,
  maxRestarts: 100,
  restartDelayMs: 1000,
  waitTimeoutMs: 300_000,
  pollIntervalMs: 1000,
  idleTimeoutMs: null,
  totalTimeoutMs: null,
  dependsOn: [],
  dependencyPollMs: 2000,
  graceMs: 5000,
} as const satisfies Partial<TaskRequest>;

export function isSandboxed({ sandbox }: Pick<TaskRequest, 'sandbox'>): boolean {
  return (sandbox?.kind ?? 'none') !== 'none';
}

/** A Docker sandbox has neither this program nor its environment. */
export function isInMachine({ sandbox }: Pick<TaskRequest, 'sandbox'>): boolean {
  return sandbox?.kind === 'docker';
}
