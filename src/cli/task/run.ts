/** `ralph task run` and `ralph task resume`: a task's loop in a terminal. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { EXIT_CODES, EXIT_INTERRUPTED } from '../../core/ending.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import { maskFor } from '../../core/mask.ts';
import { taskFlags } from '../../doors/tasks/agent-flags.ts';
import {
  checkNoCycle,
  normaliseDependencies,
  readDependencies,
  writeDependencies,
} from '../../doors/tasks/dependencies.ts';
import { keepPrompt } from '../../doors/tasks/job-wish.ts';
import { resumeTask, runTask, type TaskOptions } from '../../doors/tasks/loop.ts';
import { scopeOf } from '../../doors/tasks/root.ts';
import { TASK_DEFAULTS, type TaskRequest } from '../../doors/tasks/rules.ts';
import { makeFolder } from '../../doors/tasks/run-folder.ts';
import { newTaskId, type TaskPlace, taskFile, taskPlace } from '../../doors/tasks/task-folder.ts';
import type { Driven } from '../../engine/drive.ts';
import { handleCancel } from '../signals.ts';
import { taskConsole } from './console.ts';

/** Durations in milliseconds; 0 for an idle or total timeout is none. */
export interface TaskRunFlags {
  readonly project?: string;
  readonly task?: string;
  readonly root?: string;
  readonly agent?: string;
  readonly agentFlag?: readonly string[];
  readonly prompt?: string;
  readonly promptFile?: string;
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
}

/** So often a resumed task is started again, unless told otherwise. */
const RESUMED_RESTARTS = 3;
const DEFAULT_AGENT = 'claude';

export async function taskRunCommand(flags: TaskRunFlags, release: string, self: TaskOptions['self']): Promise<number> {
  const environment = readEnvironment();
  const place = placeOf(flags, environment, { makesTask: true });
  if (flags.task === undefined) process.stderr.write(`task: ${place.task}\n`);
  const prompt = givenPrompt(flags);
  makeFolder(place.folder);
  const folder = realpathSync(place.folder);
  const dependsOn = dependenciesOf(place, flags.dependsOn);
  if (prompt !== null) keepPrompt(folder, prompt);
  const request = requestOf({ ...place, folder }, flags, { prompt, dependsOn, isResumed: false });
  return inTerminal(request, environment, release, self, (options) => runTask(request, options));
}

export async function taskResumeCommand(
  flags: TaskRunFlags,
  release: string,
  self: TaskOptions['self'],
): Promise<number> {
  const environment = readEnvironment();
  const place = placeOf(flags, environment, { makesTask: false });
  if (!existsSync(place.folder)) throw wrong(`task directory not found: ${place.folder}`);
  const folder = realpathSync(place.folder);
  if (!existsSync(taskFile.prompt(folder))) throw wrong(`TASK.md not found in task directory ${folder}`);
  process.stderr.write(`Resuming task: ${place.task}\n`);
  const maxRestarts = flags.maxRestarts ?? RESUMED_RESTARTS;
  const change = { prompt: null, dependsOn: readDependencies(folder), isResumed: true };
  const request = requestOf({ ...place, folder }, { ...flags, maxRestarts }, change);
  const isChanged = flags.agent !== undefined || flags.agentFlag !== undefined || flags.cwd !== undefined;
  return inTerminal(request, environment, release, self, async (options) => {
    const limit = { maxRestarts: flags.maxRestarts ?? null };
    const driven = isChanged ? null : await resumeTask(folder, limit, options);
    return driven ?? runTask(request, options);
  });
}

/** The project and the task that are meant, by the flags or by where we are. */
export function placeOf(
  flags: Pick<TaskRunFlags, 'project' | 'task' | 'root'>,
  { variables }: Environment,
  { makesTask }: { readonly makesTask: boolean },
): TaskPlace {
  const { root, project, task } = scopeOf(flags, variables, process.cwd());
  if (project === null) throw wrong('--project is required', 'For example: --project my-project');
  // A new task each time, unless one is named: that of the run that we are in is not meant.
  const meant = makesTask ? (flags.task ?? newTaskId(new Date())) : task;
  if (meant === null) throw wrong('--task is required', `To see them: ralph task list --project ${project}`);
  return taskPlace(root, project, meant);
}

function requestOf(
  { folder, project, task }: TaskPlace,
  flags: TaskRunFlags,
  given: Pick<TaskRequest, 'prompt' | 'dependsOn' | 'isResumed'>,
): TaskRequest {
  const agent = flags.agent ?? DEFAULT_AGENT;
  return {
    ...given,
    kind: 'task',
    folder,
    project,
    task,
    bus: taskFile.bus(folder),
    agent,
    flags: taskFlags(agent, flags.agentFlag ?? []),
    cwd: resolve(flags.cwd ?? '.'),
    parentRunId: null,
    previousRunId: null,
    runId: null,
    maxRestarts: flags.maxRestarts ?? TASK_DEFAULTS.maxRestarts,
    restartDelayMs: flags.restartDelay ?? TASK_DEFAULTS.restartDelayMs,
    waitTimeoutMs: flags.childWaitTimeout || TASK_DEFAULTS.waitTimeoutMs,
    pollIntervalMs: flags.childPollInterval || TASK_DEFAULTS.pollIntervalMs,
    idleTimeoutMs: flags.timeout || null,
    totalTimeoutMs: flags.totalTimeout || null,
    dependencyPollMs: flags.dependencyPollInterval || TASK_DEFAULTS.dependencyPollMs,
    graceMs: flags.grace ?? TASK_DEFAULTS.graceMs,
  };
}

export function givenPrompt({ prompt, promptFile }: Pick<TaskRunFlags, 'prompt' | 'promptFile'>): string | null {
  if (promptFile === undefined || promptFile === '') return prompt?.trim() || null;
  if (prompt !== undefined && prompt !== '') throw wrong('cannot specify both --prompt and --prompt-file');
  try {
    return readFileSync(promptFile, 'utf8').trim() || null;
  } catch (error) {
    throw wrong(`cannot read prompt file ${promptFile}: ${errnoOf(error) ?? String(error)}`);
  }
}

/** Those that are given are kept for later starts; without any, those that were kept hold. */
function dependenciesOf({ root, project, task, folder }: TaskPlace, given: readonly string[] | undefined): string[] {
  const dependsOn = given === undefined ? readDependencies(folder) : normaliseDependencies(task, given);
  checkNoCycle(root, project, task, dependsOn);
  if (given !== undefined) writeDependencies(folder, dependsOn);
  return dependsOn;
}

async function inTerminal(
  { project, task }: TaskRequest,
  environment: Environment,
  release: string,
  self: TaskOptions['self'],
  turn: (options: TaskOptions) => Promise<Driven>,
): Promise<number> {
  const console_ = taskConsole({
    stdout: process.stdout,
    stderr: process.stderr,
    color: process.stdout.isTTY && environment.color,
    mask: maskFor(environment.variables),
    resume: `ralph task resume --project ${project} --task ${task}`,
    now: () => new Date(),
  });
  const signals = handleCancel((line) => process.stderr.write(`${line}\n`));
  const { show: emit, tell, ready } = console_;
  try {
    const driven = await turn({ environment, release, self, emit, tell, ready, cancel: signals.cancel });
    console_.close(driven);
    return driven.kind === 'stopped' ? EXIT_INTERRUPTED : EXIT_CODES[driven.ending.kind];
  } finally {
    signals.release();
  }
}

export function wrong(message: string, hint?: string): RalphError {
  return new RalphError('TASK', message, { ...(hint === undefined ? {} : { hint }), exitCode: 2 });
}
