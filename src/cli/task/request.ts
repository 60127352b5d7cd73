/** Makes the request for a task from the flags of its commands. */
import { resolve } from 'node:path';
import { DEFAULT_AGENT } from '../../agents/index.ts';
import { withModel } from '../../agents/installed.ts';
import { defined } from '../../core/defined.ts';
import type { OnBlocked } from '../../core/rules.ts';
import { type ReviewSpec, reviewTerms } from '../../engine/reviewer.ts';
import { taskFlags } from '../../loops/tasks/agent-environment.ts';
import type { ScopeFlags, TaskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { taskFile } from '../../loops/tasks/folder/task-folder.ts';
import type { TaskOptions } from '../../loops/tasks/loop.ts';
import { NEW_TASK, type TaskRequest } from '../../loops/tasks/request.ts';
import type { ResolvedSandbox } from '../../loops/tasks/sandbox.ts';
import type { SandboxFlags } from '../../runners/sandbox/request.ts';
import type { ReviewFlags } from '../program/flags/review.ts';
import type { TermFlags } from '../program/flags/terms.ts';
import type { OutputFlags } from '../terminal/live-output.ts';

/** Durations are in milliseconds; an idle or total timeout of 0 means none. */
export interface TaskRunFlags extends OutputFlags, SandboxFlags, ScopeFlags, TermFlags, ReviewFlags {
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly agent?: string;
  readonly agentFlag?: readonly string[];
  readonly model?: string;
  readonly replacePrompt?: boolean;
  readonly answer?: string;
  readonly cwd?: string;
  readonly maxRestarts?: number;
  readonly restartDelay?: number;
  readonly childWaitTimeout?: number;
  readonly childPollInterval?: number;
  readonly timeout?: number;
  readonly totalTimeout?: number;
  readonly grace?: number;
  readonly dependsOn?: readonly string[];
  readonly dependencyPollInterval?: number;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  readonly onBlocked?: OnBlocked;
}

/** The command line of this program. */
export type Program = Pick<TaskOptions, 'self'>;

/** The agent's flags: those given for it, and those that every task needs. */
export function agentFlagsOf(agent: string, { agentFlag = [], model }: TaskRunFlags): readonly string[] {
  const hint = 'Give the flag itself: --agent-flag=…';
  return taskFlags(agent, model === undefined ? agentFlag : withModel(agent, agentFlag, model, hint));
}

/** The reviewer works unattended, like the task's own agent. */
export function reviewOf(
  review: ReviewSpec | undefined,
  { agent: command, flags, sandbox }: Pick<TaskRequest, 'agent' | 'flags'> & Pick<ResolvedSandbox, 'sandbox'>,
): Pick<TaskRequest, 'review'> {
  if (review === undefined) return {};
  const flagsOf = (other: string): string[] => taskFlags(other, []);
  return { review: reviewTerms(review, { own: { command, flags }, flagsOf, isEnclosed: sandbox.kind !== 'none' }) };
}

/** What the flags do not set is as in the last loop. */
export function requestOf(
  { folder, project, task }: TaskPlace,
  flags: TaskRunFlags,
  given: Pick<TaskRequest, 'dependsOn' | 'isResumed' | 'answers' | 'sandbox' | 'noSandbox' | 'review' | 'reviewed'>,
  last: Partial<TaskRequest> = {},
): TaskRequest {
  const before = { ...NEW_TASK, agent: DEFAULT_AGENT, ...last };
  const agent = flags.agent ?? before.agent;
  const isSameAgent = [flags.agent, flags.agentFlag, flags.model].every((flag) => flag === undefined);
  const whose = { folder, project, task, bus: taskFile.bus(folder) };
  return {
    ...NEW_TASK,
    ...defined({ review: last.review }),
    ...given,
    ...whose,
    agent,
    flags: (isSameAgent ? last.flags : undefined) ?? agentFlagsOf(agent, flags),
    // Read from TASK.md instead, so that edits count, and so that a resume has the same prompt.
    prompt: null,
    cwd: flags.cwd === undefined && last.cwd !== undefined ? last.cwd : resolve(flags.cwd ?? '.'),
    maxRestarts: flags.maxRestarts ?? before.maxRestarts,
    restartDelayMs: flags.restartDelay ?? before.restartDelayMs,
    waitTimeoutMs: flags.childWaitTimeout || before.waitTimeoutMs,
    pollIntervalMs: flags.childPollInterval || before.pollIntervalMs,
    // 0 means none.
    idleTimeoutMs: flags.timeout === undefined ? before.idleTimeoutMs : flags.timeout || null,
    totalTimeoutMs: flags.totalTimeout === undefined ? before.totalTimeoutMs : flags.totalTimeout || null,
    dependencyPollMs: flags.dependencyPollInterval || before.dependencyPollMs,
    graceMs: flags.grace ?? before.graceMs,
    ...defined({ onBlocked: flags.onBlocked ?? before.onBlocked }),
  };
}
