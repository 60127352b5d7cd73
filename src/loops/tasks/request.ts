/** What a task, or one run of a job, is asked for. */
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
  /** Null: what TASK.md says, read again for every run. */
  readonly prompt: string | null;
  readonly cwd: string;
  /** It continues what other runs began; even the first prompt says so. */
  readonly isResumed: boolean;
  /** What a person told the agent, of all resumes so far; without a question where it did not wait, or did not say for what. */
  readonly answers?: readonly { readonly question: string | null; readonly answer: string }[];
  readonly parentRunId: string | null;
  readonly previousRunId: string | null;
  /** A run folder that was made before the loop. */
  readonly runId: string | null;
  readonly maxRestarts: number;
  readonly restartDelayMs: Duration;
  /** How long children are waited for once the task is done. */
  readonly waitTimeoutMs: Duration;
  readonly pollIntervalMs: Duration;
  /** Ends a run that prints nothing for so long. */
  readonly idleTimeoutMs: Duration | null;
  readonly totalTimeoutMs: Duration | null;
  readonly dependsOn: readonly string[];
  readonly dependencyPollMs: Duration;
  readonly graceMs: Duration;
  /** What happens when the agent waits for a person; without it the loop ends, as seed 002 says. */
  readonly onBlocked?: OnBlocked;
  /** Resolved before the loop begins; loops of older releases have none. */
  readonly sandbox?: SandboxRequest;
  /** Why there is none, where the strongest was asked for. */
  readonly noSandbox?: string;
  /** The folder of the loop whose agent asked for this job: a sandbox of it is this one's, too. */
  readonly parentLoop?: string;
  /** The id of the loop whose agent asked for this job, in a sandbox or not. */
  readonly parent?: string;
  /** Who reviews the work once DONE is there, and how often; absent where no agent does. */
  readonly review?: ReviewTerms;
  /** What its reviewer has said in the loops before; absent for nothing. */
  readonly reviewed?: ReviewMemory;
}

/** What most tasks begin with. */
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

/** A Docker machine has neither this program nor the environment that it is started in. */
export function isInMachine({ sandbox }: Pick<TaskRequest, 'sandbox'>): boolean {
  return sandbox?.kind === 'docker';
}
