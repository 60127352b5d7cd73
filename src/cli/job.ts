/** `ralph job`: one run of an agent for a task. Inside another run it is asked for, and outlives that one if it must. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { DEFAULT_AGENT } from '../agents/index.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { EXIT_INTERRUPTED } from '../core/ending.ts';
import { checkRunId } from '../core/text/task-ids.ts';
import { taskFlags } from '../loops/tasks/agent-flags.ts';
import { runFile, taskPlace } from '../loops/tasks/folder/task-folder.ts';
import { checkWorkFolder } from '../loops/tasks/folder/work-folder.ts';
import { JOBS_VARIABLE } from '../loops/tasks/jobs/broker-files.ts';
import { refuseLinks } from '../loops/tasks/jobs/broker-policy.ts';
import { askForJob } from '../loops/tasks/jobs/job-request.ts';
import { type JobWish, taskRequestOf } from '../loops/tasks/jobs/job-spec.ts';
import { runTask, type TaskOptions } from '../loops/tasks/loop.ts';
import { TASK_DEFAULTS, type TaskRequest, WAIT_EXIT_CODE } from '../loops/tasks/rules.ts';
import { readRunInfo } from '../loops/tasks/runs/run-info.ts';
import { watchRun } from '../loops/tasks/runs/run-watch.ts';
import { settledTaskSandbox } from '../loops/tasks/sandbox.ts';
import { type SandboxFlags, sandboxFromFlags } from '../runners/sandbox/request.ts';
import { hostedTask } from './task/in-terminal.ts';
import { givenPrompt, placeOf, type TaskRunFlags, wrong } from './task/run.ts';

export interface JobFlags
  extends Pick<
    TaskRunFlags,
    | 'project'
    | 'task'
    | 'root'
    | 'agent'
    | 'agentFlag'
    | 'prompt'
    | 'promptFile'
    | 'cwd'
    | 'timeout'
    | 'totalTimeout'
    | 'grace'
    | keyof SandboxFlags
  > {
  readonly parentRunId?: string;
  readonly previousRunId?: string;
  readonly follow?: boolean;
  /** The file of an order that a desk has written; for supervisors only. */
  readonly supervise?: string;
}

export async function jobCommand(flags: JobFlags, release: string, self: TaskOptions['self']): Promise<number> {
  const environment = readEnvironment();
  if (flags.supervise !== undefined) return supervise(flags.supervise, environment, release, self);
  const wish = await wishOf(flags, environment);
  const desk = environment.variables[JOBS_VARIABLE];
  if (desk !== undefined && desk !== '') return asChild(desk, wish, flags.follow === true);
  const { folder } = taskPlace(wish.root, wish.project, wish.task);
  checkWorkFolder(wish.cwd);
  const request = taskRequestOf(wish, await settledTaskSandbox(wish.sandbox, { ...wish, folder }, environment));
  return inForeground(request, environment, release, self);
}

async function wishOf(flags: JobFlags, environment: Environment): Promise<JobWish> {
  const { variables } = environment;
  const inside = variables.JRUN_ID ?? '';
  const { root, project, task } = placeOf(flags, environment, { makesTask: flags.task === undefined && inside === '' });
  const prompt = await givenPrompt(flags);
  if (prompt === null) throw wrong('a job needs a prompt', 'Give --prompt or --prompt-file.');
  const agent = flags.agent ?? DEFAULT_AGENT;
  return {
    root,
    project,
    task,
    agent,
    flags: taskFlags(agent, flags.agentFlag ?? []),
    prompt,
    cwd: resolve(flags.cwd ?? '.'),
    parentRunId: runId(flags.parentRunId || inside),
    previousRunId: runId(flags.previousRunId ?? ''),
    idleTimeoutMs: flags.timeout || null,
    totalTimeoutMs: flags.totalTimeout || null,
    graceMs: flags.grace ?? TASK_DEFAULTS.graceMs,
    sandbox: sandboxFromFlags(flags),
  };
}

function runId(given: string): string | null {
  return given === '' ? null : checkRunId(given);
}

/** The supervisor of the run that we are in starts it; we only watch. */
async function asChild(desk: string, wish: JobWish, follows: boolean): Promise<number> {
  const { runFolder: folder, noSandbox } = await askForJob(desk, wish);
  if (noSandbox !== undefined) process.stderr.write(`No sandbox: ${noSandbox}\n`);
  process.stderr.write(`run: ${basename(folder)}\n`);
  await watchRun(folder, follows ? (chunk) => process.stdout.write(chunk) : null);
  const output = runFile.output(folder);
  if (!follows && existsSync(output)) process.stdout.write(readFileSync(output));
  const info = readRunInfo(runFile.info(folder));
  if (info?.status === 'failed') process.stderr.write(`error: ${info.errorSummary ?? 'the run failed'} (${folder})\n`);
  if (info?.status === 'stopped') {
    const isEnded = info.errorSummary !== undefined;
    process.stderr.write(isEnded ? `Stopped: ${info.errorSummary} (${folder})\n` : `The child waits (${folder})\n`);
    return isEnded ? EXIT_INTERRUPTED : WAIT_EXIT_CODE;
  }
  return info?.status === 'failed' ? 1 : 0;
}

async function supervise(
  order: string,
  environment: Environment,
  release: string,
  self: TaskOptions['self'],
): Promise<number> {
  // Written by a desk of ours, in a folder that is private to the user.
  const request = JSON.parse(readFileSync(order, 'utf8')) as TaskRequest;
  refuseLinks(request);
  return inForeground(request, environment, release, self);
}

async function inForeground(
  request: TaskRequest,
  environment: Environment,
  release: string,
  self: TaskOptions['self'],
): Promise<number> {
  const turned = { environment, release, self };
  return hostedTask('job', turned, (options) => runTask(request, options));
}
